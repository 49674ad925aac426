"""Trace numbers to their ranking tasks; :mod:`.search` asks.

:mod:`.evidence` has what numbers say about their tasks, :mod:`.defects` the known ways in which adjusted values are
wrong, :mod:`.matches` the sets of tasks that fit best.
"""
