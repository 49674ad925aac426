"""Constants that make MR, MRR and Hits@k comparable across datasets, splits, sides and protocols.

>>> import rankconst
>>> mrr = rankconst.load().constants("fb15k237", "mrr")
>>> round(mrr.index(0.338), 4), round(mrr.z(0.338), 1)
(0.3375, 6368.0)
"""

from typing import TYPE_CHECKING

__version__ = "0.3.0"

# The public names: each stands here for type checkers, and below with its module.
if TYPE_CHECKING:
    from rankconst.affine import Affine as Affine
    from rankconst.aggregations import AGGREGATIONS as AGGREGATIONS
    from rankconst.aggregations import Aggregation as Aggregation
    from rankconst.aggregations import parse_aggregation as parse_aggregation
    from rankconst.constants import Adjusted as Adjusted
    from rankconst.constants import Constants as Constants
    from rankconst.errors import DataError as DataError
    from rankconst.errors import DownloadError as DownloadError
    from rankconst.errors import MissingExtraError as MissingExtraError
    from rankconst.errors import RankconstError as RankconstError
    from rankconst.errors import TablesError as TablesError
    from rankconst.errors import UndefinedError as UndefinedError
    from rankconst.errors import UnknownNameError as UnknownNameError
    from rankconst.errors import UsageError as UsageError
    from rankconst.frames import adjust as adjust
    from rankconst.histogram import Histogram as Histogram
    from rankconst.histogram import WeightedHistogram as WeightedHistogram
    from rankconst.identify import identify_reading as identify_reading
    from rankconst.lint import lint_reading as lint_reading
    from rankconst.metrics import CATALOGUE as CATALOGUE
    from rankconst.metrics import Metric as Metric
    from rankconst.metrics import parse_metric as parse_metric
    from rankconst.moments import Moments as Moments
    from rankconst.moments import compute_moments as compute_moments
    from rankconst.protocols import PROTOCOLS as PROTOCOLS
    from rankconst.protocols import Protocol as Protocol
    from rankconst.protocols import parse_protocol as parse_protocol
    from rankconst.results.adjusting import adjust_reading as adjust_reading
    from rankconst.results.readers import read_results as read_results
    from rankconst.settling import Setting as Setting
    from rankconst.significance import Significance as Significance
    from rankconst.sources import SOURCES as SOURCES
    from rankconst.sources import Source as Source
    from rankconst.sources import parse_source as parse_source
    from rankconst.tables import Tables as Tables
    from rankconst.tables import bundled_versions as bundled_versions
    from rankconst.tables import load as load
    from rankconst.tasks import Tasks as Tasks
    from rankconst.tasks import from_counts as from_counts
    from rankconst.values import Interval as Interval
    from rankconst.values import Published as Published
    from rankconst.values import parse_value as parse_value
else:
    # Out of sight of type checkers, which would take any attribute for one that exists.
    from rankconst.lazy import attach

    _HOMES = {
        "AGGREGATIONS": "aggregations",
        "Adjusted": "constants",
        "Affine": "affine",
        "Aggregation": "aggregations",
        "CATALOGUE": "metrics",
        "Constants": "constants",
        "DataError": "errors",
        "DownloadError": "errors",
        "Histogram": "histogram",
        "Interval": "values",
        "Metric": "metrics",
        "MissingExtraError": "errors",
        "Moments": "moments",
        "PROTOCOLS": "protocols",
        "Protocol": "protocols",
        "Published": "values",
        "RankconstError": "errors",
        "SOURCES": "sources",
        "Setting": "settling",
        "Significance": "significance",
        "Source": "sources",
        "Tables": "tables",
        "TablesError": "errors",
        "Tasks": "tasks",
        "UndefinedError": "errors",
        "UnknownNameError": "errors",
        "UsageError": "errors",
        "WeightedHistogram": "histogram",
        "adjust": "frames",
        "adjust_reading": "results.adjusting",
        "bundled_versions": "tables",
        "compute_moments": "moments",
        "from_counts": "tasks",
        "identify_reading": "identify",
        "lint_reading": "lint",
        "load": "tables",
        "parse_aggregation": "aggregations",
        "parse_metric": "metrics",
        "parse_protocol": "protocols",
        "parse_source": "sources",
        "parse_value": "values",
        "read_results": "results.readers",
    }
    __all__ = [*_HOMES, "__version__"]  # noqa: PLE0604 - the keys are names
    __getattr__, __dir__ = attach(__name__, _HOMES, modules=("locations", "records", "schemas"))
