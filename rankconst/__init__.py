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
    from rankconst.catalogue.aggregations import AGGREGATIONS as AGGREGATIONS
    from rankconst.catalogue.aggregations import Aggregation as Aggregation
    from rankconst.catalogue.aggregations import parse_aggregation as parse_aggregation
    from rankconst.catalogue.metrics import CATALOGUE as CATALOGUE
    from rankconst.catalogue.metrics import Metric as Metric
    from rankconst.catalogue.metrics import parse_metric as parse_metric
    from rankconst.catalogue.protocols import PROTOCOLS as PROTOCOLS
    from rankconst.catalogue.protocols import Protocol as Protocol
    from rankconst.catalogue.protocols import parse_protocol as parse_protocol
    from rankconst.catalogue.tools import TOOLS as TOOLS
    from rankconst.catalogue.tools import Tool as Tool
    from rankconst.catalogue.tools import parse_tool as parse_tool
    from rankconst.checks.identify.search import identify_reading as identify_reading
    from rankconst.checks.lint import lint_reading as lint_reading
    from rankconst.constants.affine import Affine as Affine
    from rankconst.constants.constants import Adjusted as Adjusted
    from rankconst.constants.constants import Constants as Constants
    from rankconst.constants.published import Interval as Interval
    from rankconst.constants.published import Published as Published
    from rankconst.constants.published import parse_value as parse_value
    from rankconst.constants.significance import Significance as Significance
    from rankconst.errors import DataError as DataError
    from rankconst.errors import DownloadError as DownloadError
    from rankconst.errors import MissingExtraError as MissingExtraError
    from rankconst.errors import RankconstError as RankconstError
    from rankconst.errors import TablesError as TablesError
    from rankconst.errors import UndefinedError as UndefinedError
    from rankconst.errors import UnknownNameError as UnknownNameError
    from rankconst.errors import UsageError as UsageError
    from rankconst.moments import Moments as Moments
    from rankconst.moments import compute_moments as compute_moments
    from rankconst.results.adjust import adjust_reading as adjust_reading
    from rankconst.results.evaluation import Setting as Setting
    from rankconst.results.formats import read_results as read_results
    from rankconst.results.frame import adjust as adjust
    from rankconst.tables.own_counts import Counts as Counts
    from rankconst.tables.own_counts import from_counts as from_counts
    from rankconst.tables.tables import Tables as Tables
    from rankconst.tables.tables import bundled_versions as bundled_versions
    from rankconst.tables.tables import load as load
    from rankconst.tasks import Histogram as Histogram
    from rankconst.tasks import Tasks as Tasks
else:
    # Out of sight of type checkers, which would take any attribute for one that exists.
    from rankconst.lazy import attach

    _HOMES = {
        "AGGREGATIONS": "catalogue.aggregations",
        "Adjusted": "constants.constants",
        "Affine": "constants.affine",
        "Aggregation": "catalogue.aggregations",
        "CATALOGUE": "catalogue.metrics",
        "Constants": "constants.constants",
        "DataError": "errors",
        "DownloadError": "errors",
        "Histogram": "tasks",
        "Interval": "constants.published",
        "Metric": "catalogue.metrics",
        "MissingExtraError": "errors",
        "Moments": "moments",
        "PROTOCOLS": "catalogue.protocols",
        "Protocol": "catalogue.protocols",
        "Published": "constants.published",
        "RankconstError": "errors",
        "TOOLS": "catalogue.tools",
        "Setting": "results.evaluation",
        "Significance": "constants.significance",
        "Tool": "catalogue.tools",
        "Tables": "tables.tables",
        "TablesError": "errors",
        "Counts": "tables.own_counts",
        "Tasks": "tasks",
        "UndefinedError": "errors",
        "UnknownNameError": "errors",
        "UsageError": "errors",
        "adjust": "results.frame",
        "adjust_reading": "results.adjust",
        "bundled_versions": "tables.tables",
        "compute_moments": "moments",
        "from_counts": "tables.own_counts",
        "identify_reading": "checks.identify.identify",
        "lint_reading": "checks.lint",
        "load": "tables.tables",
        "parse_aggregation": "catalogue.aggregations",
        "parse_metric": "catalogue.metrics",
        "parse_protocol": "catalogue.protocols",
        "parse_tool": "catalogue.tools",
        "parse_value": "constants.published",
        "read_results": "results.formats",
    }
    __all__ = [*_HOMES, "__version__"]  # noqa: PLE0604 - the keys are names
    __getattr__, __dir__ = attach(__name__, _HOMES, modules=())
