"""Checks of published numbers.

:mod:`.laws` and :mod:`.chance` find impossible numbers, :mod:`.search` finds their tasks.
"""
