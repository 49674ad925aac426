"""Checks of published numbers: :mod:`.laws` and :mod:`.chance` find impossible ones, :mod:`.search` their tasks."""
