"""Results as people have them: read (:mod:`.formats`), and adjusted (:mod:`.adjust`).

The formats are in :mod:`.tables`, :mod:`.tools` and :mod:`.logs`, one module each. How a number finds its ranking
tasks: cells, keys and sentences are read as labels (:mod:`.labels`, with the words of ``vocabulary.toml``), which stand
as texts near it; what these declare, and the questions that they raise, is gathered (:mod:`.gate`) into what is stated
of it (:class:`rankconst.evaluation.Stated`), from which, with what the user says, its ``Tasks`` are settled.
"""
