"""Logs of evaluations: :mod:`.lines` has what they share, the other modules a format each."""
