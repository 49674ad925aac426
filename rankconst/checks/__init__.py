"""Checks of published numbers: :mod:`.identify` finds where they come from, :mod:`.lint` which are impossible."""
