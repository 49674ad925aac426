"""How numbers are traced to their ranking tasks; :mod:`rankconst.checks.identify.search` asks.

======================  ====================================================================================
module                  holds
======================  ====================================================================================
:mod:`.matches`         what is found: a set of tasks that fits, groups of numbers, a whole file
:mod:`.restrictions`    the sets that the user and the file leave open
:mod:`.agreement`       pieces of evidence beside the constants of every set
:mod:`.ranking`         the sets that fit best
:mod:`.defects`         adjusted values beside the right ones: sets that only known defects explain
:mod:`.nearest`         why nothing fits
======================  ====================================================================================
"""

from __future__ import annotations

__all__: list[str] = []
