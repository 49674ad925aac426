"""The command line: one module a command group.

Results go to stdout, everything else to stderr. Exit codes are those of :mod:`rankconst.errors`.
"""

from rankconst.cli.app import COMMANDS as COMMANDS
from rankconst.cli.app import main as main
