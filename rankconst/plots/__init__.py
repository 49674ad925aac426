"""Pictures, drawn with matplotlib (the extra ``rankconst[plot]``); importing this package does not load it.

======================  ====================================================================================
module                  holds
======================  ====================================================================================
:mod:`.comparison`      original value, adjusted index and z of a results table, side by side
:mod:`.distribution`    what a random ranker gets on one dataset, with published values beside
:mod:`.arrangement`     what stands where in a comparison
:mod:`.density`         the probabilities of a random ranker's values
:mod:`.style`           how pictures look, and how they become the bytes of a file
======================  ====================================================================================
"""

from rankconst.plots.comparison import plot_comparison
from rankconst.plots.distribution import plot_distribution
from rankconst.plots.style import render_figure

__all__ = ["plot_comparison", "plot_distribution", "render_figure"]
