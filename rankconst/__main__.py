"""``python -m rankconst`` is the command line."""

from rankconst.cli import main

if __name__ == "__main__":
    main()
