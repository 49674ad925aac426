"""The version of the program; that of the tables is in each set."""

__version__ = "0.4.0"
