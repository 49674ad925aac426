"""The program: ``python -m rankconst``, and the script that is installed."""

import os

try:
    from rankconst.cli import main
except KeyboardInterrupt:  # main catches those that come later
    os._exit(130)

if __name__ == "__main__":
    main()
