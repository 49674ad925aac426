"""Constants that make MR, MRR and Hits@k comparable across datasets, splits, sides and protocols.

>>> import rankconst
>>> mrr = rankconst.load().constants("fb15k237", "mrr")
>>> round(mrr.index(0.338), 4), round(mrr.z(0.338), 1)
(0.3375, 6368.0)
"""

from rankconst.affine import Affine
from rankconst.aggregations import AGGREGATIONS, Aggregation, parse_aggregation
from rankconst.constants import Adjusted, Constants
from rankconst.errors import (
    DataError,
    DownloadError,
    MissingExtraError,
    RankconstError,
    TablesError,
    UndefinedError,
    UnknownNameError,
    UsageError,
)
from rankconst.histogram import Histogram, WeightedHistogram
from rankconst.metrics import CATALOGUE, Metric, parse_metric
from rankconst.moments import Moments, compute_moments
from rankconst.protocols import PROTOCOLS, Protocol, parse_protocol
from rankconst.tables import Tables, bundled_versions, load

__version__ = "0.2.0"

__all__ = [
    "AGGREGATIONS",
    "CATALOGUE",
    "PROTOCOLS",
    "Adjusted",
    "Affine",
    "Aggregation",
    "Constants",
    "DataError",
    "DownloadError",
    "Histogram",
    "Metric",
    "MissingExtraError",
    "Moments",
    "Protocol",
    "RankconstError",
    "Tables",
    "TablesError",
    "UndefinedError",
    "UnknownNameError",
    "UsageError",
    "WeightedHistogram",
    "__version__",
    "bundled_versions",
    "compute_moments",
    "load",
    "parse_aggregation",
    "parse_metric",
    "parse_protocol",
]
