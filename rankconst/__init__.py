"""Constants that make MR, MRR and Hits@k comparable across datasets, splits, sides and protocols.

>>> import rankconst
>>> mrr = rankconst.constants("fb15k237", "mrr")
>>> round(mrr.index(0.338), 4), round(mrr.z(0.338), 1)
(0.3375, 6368.0)

These names are what most people need. The errors are in :mod:`rankconst.errors`; Python's reference
page lists the further modules that are public. Everything else may change in any release.
"""

# Type checkers take it for true. Importing it would take longer than everything else.
TYPE_CHECKING = False

# The public names: here for type checkers, and below with their modules, which are imported when
# first asked for.
if TYPE_CHECKING:
    from rankconst.api import adjust as adjust
    from rankconst.api import check as check
    from rankconst.api import compare as compare
    from rankconst.api import constants as constants
    from rankconst.errors import RankconstError as RankconstError
    from rankconst.results.formats import read as read
    from rankconst.tables.archive import load as load
    from rankconst.tables.own_counts import from_counts as from_counts
    from rankconst.tables.own_counts import from_triples as from_triples
    from rankconst.values.constants import Constants as Constants
    from rankconst.values.ranks import from_ranks as from_ranks
    from rankconst.version import __version__ as __version__
else:
    # Hidden from type checkers, which would otherwise accept any attribute.
    _HOMES = {
        "adjust": "api",
        "constants": "api",
        "compare": "api",
        "check": "api",
        "load": "tables.archive",
        "read": "results.formats",
        "from_counts": "tables.own_counts",
        "from_triples": "tables.own_counts",
        "from_ranks": "values.ranks",
        "Constants": "values.constants",
        "RankconstError": "errors",
        "__version__": "version",
    }
    __all__ = [*_HOMES]  # noqa: PLE0604 - the keys are names

    def __getattr__(name):
        import sys
        from importlib import import_module

        home = _HOMES.get(name)
        if home is None:
            # With name and obj, Python itself adds "Did you mean" to a traceback.
            raise AttributeError(
                f"module 'rankconst' has no attribute {name!r}",
                name=name,
                obj=sys.modules[__name__],
            )

        value = globals()[name] = getattr(import_module(f"rankconst.{home}"), name)
        return value

    def __dir__():
        return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
