"""Constants that make MR, MRR and Hits@k comparable across datasets, splits, sides and protocols.

>>> import rankconst
>>> mrr = rankconst.load().constants("fb15k237", "mrr")
>>> round(mrr.index(0.338), 4), round(mrr.z(0.338), 1)
(0.3375, 6368.0)

The names of this module are the public ones; everything else may change in any release.
"""

TYPE_CHECKING = False  # type checkers take it for true, and importing it would take longer than all else

# The public names: here for type checkers, and below with their modules, which are imported when first asked for.
if TYPE_CHECKING:
    from rankconst.api import adjust as adjust
    from rankconst.api import check as check
    from rankconst.api import compare as compare
    from rankconst.api import from_triples as from_triples
    from rankconst.api import plot as plot
    from rankconst.catalogue.metrics import Metric as Metric
    from rankconst.catalogue.metrics import parse_metric as parse_metric
    from rankconst.errors import AskedError as AskedError
    from rankconst.errors import DataError as DataError
    from rankconst.errors import DownloadError as DownloadError
    from rankconst.errors import MissingExtraError as MissingExtraError
    from rankconst.errors import RankconstError as RankconstError
    from rankconst.errors import TablesError as TablesError
    from rankconst.errors import UndefinedError as UndefinedError
    from rankconst.errors import UnknownNameError as UnknownNameError
    from rankconst.errors import UsageError as UsageError
    from rankconst.moments import Moments as Moments
    from rankconst.moments import compute_mean as compute_mean
    from rankconst.moments import compute_moments as compute_moments
    from rankconst.moments import compute_power_mean as compute_power_mean
    from rankconst.results.formats import read_results as read_results
    from rankconst.tables.own_counts import Counts as Counts
    from rankconst.tables.own_counts import from_counts as from_counts
    from rankconst.tables.tables import Tables as Tables
    from rankconst.tables.tables import bundled_versions as bundled_versions
    from rankconst.tables.tables import load as load
    from rankconst.tasks import Histogram as Histogram
    from rankconst.tasks import Tasks as Tasks
    from rankconst.values.comparison import Comparison as Comparison
    from rankconst.values.constants import Adjusted as Adjusted
    from rankconst.values.constants import Constants as Constants
    from rankconst.values.ranks import Ranks as Ranks
    from rankconst.values.ranks import from_ranks as from_ranks
    from rankconst.version import __version__ as __version__
else:
    # Out of sight of type checkers, which would take any attribute for one that exists.
    _NAMES = {
        "tables.tables": ("load", "bundled_versions", "Tables"),
        "api": ("adjust", "check", "plot", "compare", "from_triples"),
        "results.formats": ("read_results",),
        "tables.own_counts": ("from_counts", "Counts"),
        "catalogue.metrics": ("parse_metric", "Metric"),
        "moments": ("compute_moments", "compute_mean", "compute_power_mean", "Moments"),
        "tasks": ("Tasks", "Histogram"),
        "values.constants": ("Constants", "Adjusted"),
        "values.comparison": ("Comparison",),
        "values.ranks": ("from_ranks", "Ranks"),
        "errors": (
            "RankconstError",
            "UsageError",
            "MissingExtraError",
            "UnknownNameError",
            "DownloadError",
            "DataError",
            "AskedError",
            "UndefinedError",
            "TablesError",
        ),
        "version": ("__version__",),
    }
    _HOMES = {name: home for home, names in _NAMES.items() for name in names}
    __all__ = [*_HOMES]  # noqa: PLE0604 - the keys are names

    def __getattr__(name):
        import sys
        from importlib import import_module

        home = _HOMES.get(name)
        if home is None:
            # With name and obj, Python itself adds "Did you mean" to a traceback.
            raise AttributeError(f"module 'rankconst' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
        value = globals()[name] = getattr(import_module(f"rankconst.{home}"), name)
        return value

    def __dir__():
        return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
