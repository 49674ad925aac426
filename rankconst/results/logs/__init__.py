"""Logs of evaluations: :mod:`.lines` has what they share, every other module is one tool's format."""
