"""Results as people have them: files read (:mod:`.formats`), settled (:mod:`.evaluation`), adjusted (:mod:`.adjust`).

The formats are in :mod:`.tables`, :mod:`.tools` and :mod:`.logs`, one module each.
"""
