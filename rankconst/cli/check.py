"""``rankconst check``: what is impossible in results, and where they come from."""

from rankconst.cli.lint import lint as check

__all__ = ["check"]
