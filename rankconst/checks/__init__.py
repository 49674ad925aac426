"""Checks of published numbers.

:mod:`.laws` and :mod:`.chance` find impossible numbers, :mod:`.confirm` those that contradict their
ranking tasks.
"""
