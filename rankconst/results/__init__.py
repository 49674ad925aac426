"""Results as people have them: read (:mod:`.formats`), and adjusted (:mod:`.batches`).

The formats are in :mod:`.tables`, :mod:`.tools` and :mod:`.logs`. A number finds its ranking tasks
in three steps. :mod:`.labels` reads each cell, key and sentence near it, with the words of
``vocabulary.toml``. :mod:`.gate` gathers what these declare and what they leave to be asked, as a
:class:`rankconst.evaluation.Address`. :func:`rankconst.evaluation.settle` adds what you say and
what is assumed, and returns the ``Tasks``.
"""
