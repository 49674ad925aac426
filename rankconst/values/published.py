"""Published numbers: the text, the number, and the interval that its rounding leaves open.

``0.338`` may be any number from 0.3375 to 0.3385: nothing computed from it can be more certain than
that.
"""

from __future__ import annotations

import math
import numbers
import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from rankconst.arrow import join_texts, view_numbers, wrap_numbers
from rankconst.errors import DataError
from rankconst.names import show_value, spell, tell_apart

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric

NOISE = 1e-6
"""The relative error granted to every number.

Many programs sum tens of thousands of ranks in float32, whose own unit is 6e-8. Next to a rounding
to five digits or fewer it does not matter.
"""


class Interval(NamedTuple):
    """Two ends, both included, the lower one first."""

    lower: float
    upper: float

    @property
    def half_width(self) -> float:
        """Half the distance of the ends."""
        return (self.upper - self.lower) / 2


@dataclass(frozen=True, slots=True)
class Published:
    """A published number with the interval of its rounding or spread."""

    text: str
    value: float  # in the metric's own units: a percentage is divided by 100
    # Half a unit of the last decimal to either side, widened by the number after ±; equal if it
    # was not read from text.
    lower: float
    upper: float
    deviation: float | None = None  # the number after ±
    unit: float = field(default=1.0, repr=False)  # of the text: 0.01 of a percentage

    @property
    def interval(self) -> Interval:
        """The two ends."""
        return Interval(self.lower, self.upper)


# What a number looks like: readers of documents and of logs build their patterns of these parts.

DIGITS = r"(?:\d{1,3}(?:(?:,|\{,\}|\\,)\d{3})+(?:\.\d*)?|\d+(?:\.\d*)?|\.\d+)"
"""The pattern of a number without a sign: ``0.338``, ``.5``, ``3,340``, in LaTeX ``3{,}340``."""

EXPONENT = r"(?:[eE][+-]?\d{1,4})?"
"""The pattern of the power of ten behind it, which few have."""

PLUS_MINUS = r"(?:±|\+/-|\+-|\\pm)"
"""The pattern of the sign before a deviation."""

UNITS = {"%": Decimal("0.01")}
"""The sign behind a share to its unit."""

UNIT = rf"[{''.join(UNITS)}]"
"""The pattern of such a sign."""

_NUMBER = re.compile(rf"[+-]?{DIGITS}{EXPONENT}", re.ASCII)
# 0.338(2) is 0.338 ± 0.002: so metrology and LaTeX's siunitx write it.
_LAST_DIGITS = re.compile(rf"([+-]?\d*\.(\d{{1,20}}))\((\d{{1,20}})\)({EXPONENT})", re.ASCII)
# Minus signs and spaces of typesetting.
_TYPESET = str.maketrans({"\u2212": "-", "\u2012": "-", "\u2013": "-", "\u00a0": " "})
# Thousands apart by a thin space.
_THIN = r"(?<![\d.])[1-9]\d{0,2}(?:[\u2009\u202f]\d{3})+(?!\d)"
_LONGEST = 400  # letters, or decimals, of a number
_NOTHING, _HALF, _ONE = Decimal(0), Decimal("0.5"), Decimal(1)
# Beyond these powers of ten Decimal or float give up.
_LARGEST_EXPONENT, _SMALLEST_EXPONENT = 300, 10_000


def has_unit(text: str) -> bool:
    """Return True if a number has a sign such as %."""
    return any(sign in text for sign in UNITS)


def parse_value(
    value: Any,
    *,
    decimals: int | None = None,
    percent: bool = False,
    exact: bool = False,
    place: str = "",
) -> Published:
    """Read a published number: ``"0.338"``, ``"53.3%"``, ``"0.5458 ± 0.0052"``, a float.

    `decimals` says to how many it was rounded if the text does not show it, `percent` that it is a
    percentage without a sign, `exact` that a program wrote every digit, `place` where it is, for
    the message of a DataError.

    >>> parse_value("0.338").interval
    Interval(lower=0.3375, upper=0.3385)
    >>> parse_value("53.3%").value
    0.533
    """
    if isinstance(value, str):
        number, deviation, unit = _read_text(value, place)
    else:
        number, deviation, unit = _Notation(_read_number(value, place))
        exact = exact or not isinstance(value, Decimal)  # a float does not show its decimals

    if percent and unit is _ONE:
        unit = UNITS["%"]

    shown = _show_given(value, number)
    if number and not -_SMALLEST_EXPONENT < number.adjusted() < _LARGEST_EXPONENT:
        raise DataError(f"{_at(place)}{shown.strip()!r} is too large or too small for any metric.")

    open_by = _NOTHING
    if decimals is not None:
        open_by = _HALF.scaleb(-check_decimals(decimals, place))
    elif not exact:
        open_by = _HALF.scaleb(int(number.as_tuple().exponent))

    spread = None
    if deviation is not None:
        open_by += deviation
        spread = float(deviation * unit)

    # Decimal rounds to 28 digits: far below the last place of a float.
    if number and not float(number * unit):
        raise DataError(f"{_at(place)}{shown.strip()!r} is too small to tell from 0.")
    return Published(
        text=shown,
        value=float(number * unit),
        lower=float((number - open_by) * unit),
        upper=float((number + open_by) * unit),
        deviation=spread,
        unit=float(unit),
    )


def _show_given(value: Any, number: Decimal) -> str:
    """Write a published value as it was given, or its `number` if that is too long."""
    # Python refuses to write a whole number of more than 4,300 digits.
    text = str(number) if isinstance(value, numbers.Rational) else str(value)
    return text if len(text) <= _LONGEST else f"{number:.3e}"


def check_decimals(decimals: Any, place: str = "") -> int:
    """Return a number of decimals as an int; DataError unless it is whole and in range."""
    whole = is_number(decimals) and isinstance(decimals, numbers.Integral)
    if not whole or not 0 <= decimals <= _LONGEST:
        raise DataError(
            f"{_at(place)}decimals = {spell(decimals, str)}; "
            f"expected a whole number from 0 to {_LONGEST}."
        )
    return int(decimals)


def read_published(
    metric: Metric,
    value: Any,
    *,
    decimals: int | None = None,
    percent: bool = False,
    exact: bool = False,
    place: str = "",
) -> Published:
    """Read a published value like :func:`parse_value`; DataError for a mean rank in percent."""
    if not metric.is_share and (percent or (isinstance(value, str) and has_unit(value))):
        raise DataError(f"{_at(place)}{value} is a percentage, but {metric.label} is not a share.")
    return parse_value(value, decimals=decimals, percent=percent, exact=exact, place=place)


def read_numbers(
    metric: Metric,
    cells: Sequence[Any],
    *,
    decimals: int | None = None,
    percent: bool = False,
    exact: bool = False,
) -> NDArray[np.float64]:
    """Read many published values of a metric: value and both ends of each, shape (n, 3)."""
    import numpy as np

    # A code from 0 on for each distinct cell, and the distinct cells.
    code_of: dict[Any, int] = {}
    distinct: list[Any] = []
    codes = np.empty(len(cells), np.intp)
    for i, cell in enumerate(cells):
        # Equal decimals and fractions may be written differently, and True equals 1.
        key = cell if isinstance(cell, str) else (type(cell), tell_apart(cell))
        codes[i] = code_of.setdefault(key, len(distinct))
        if len(code_of) > len(distinct):
            distinct.append(cell)

    # The usual texts are read all at once, what is left (NaN) one by one.
    numbers = np.full((len(distinct), 3), np.nan)
    if decimals is None and all(isinstance(cell, str) for cell in distinct):
        numbers = _read_plain(distinct, metric, percent=percent, exact=exact)

    for code in np.flatnonzero(np.isnan(numbers[:, 0])).tolist():
        published = read_published(
            metric, distinct[code], decimals=decimals, percent=percent, exact=exact
        )
        numbers[code] = published.value, published.lower, published.upper

    of_cells: NDArray[np.float64] = numbers[codes]
    return of_cells


def _read_plain(
    cells: list[str], metric: Metric, *, percent: bool, exact: bool
) -> NDArray[np.float64]:
    """Read plain texts of up to 15 digits all at once: value and both ends, or NaN for other texts.

    So few digits are exact as a double, and so is the power of ten, so that quotients are rounded
    correctly.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = np.full((len(cells), 3), np.nan)
    if percent and not metric.is_share:  # an error, which parse_value explains
        return numbers

    # The texts to read: 0.338, and 53.3% of a share.
    texts = join_texts(cells)
    sign = "%?" if metric.is_share else ""
    is_number = pc.match_substring_regex(texts, rf"^(?:\d*\.)?\d+{sign}$")
    num_digits = pc.utf8_length(pc.replace_substring_regex(texts, "[.%]", ""))
    is_read = view_numbers(is_number) & (view_numbers(num_digits) <= 15)
    texts = texts.filter(wrap_numbers(is_read))

    has_sign = view_numbers(pc.ends_with(texts, "%"))
    without_sign = pc.replace_substring(texts, "%", "")
    point = view_numbers(pc.find_substring(without_sign, "."))  # -1 without a point
    length = view_numbers(pc.utf8_length(without_sign))
    decimals = np.where(point < 0, 0, length - point - 1)
    # A percentage has two more: 53.3% is 0.533.
    decimals = decimals + 2 * (has_sign | percent)

    digits = view_numbers(pc.replace_substring(without_sign, ".", "").cast(pa.float64()))
    unit = 10.0**decimals
    value = digits / unit
    if exact:
        lower = upper = value
    else:
        lower = (2 * digits - 1) / (2 * unit)
        upper = (2 * digits + 1) / (2 * unit)

    numbers[is_read] = np.stack((value, lower, upper), axis=1)
    return numbers


def half_unit(number: float) -> float:
    """Return half a unit of the last decimal of a float, at most 0.5: 0.0005 for 0.338."""
    if not math.isfinite(number):
        return 0.0
    text = repr(number).removesuffix(".0")
    mantissa, _, exponent = text.partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
    return 0.5 * 10.0 ** min(-decimals, 0)


def is_number(value: object) -> TypeGuard[numbers.Real | Decimal]:
    """Return True for a number, but not for a truth value or a duration of numpy."""
    lasts = getattr(getattr(value, "dtype", None), "kind", "") == "m"
    return not lasts and not isinstance(value, bool) and isinstance(value, (numbers.Real, Decimal))


def _read_number(value: object, place: str) -> Decimal:
    """Return a number as a Decimal, with the digits that Python shows."""
    if isinstance(value, Decimal):
        number = value
    elif not is_number(value):
        raise DataError(f"{_at(place)}{show_value(value)} is not a number.")
    elif isinstance(value, numbers.Rational):
        # For a number beyond all floats, the digits are enough to refuse it.
        number = Decimal(int(value.numerator)) / Decimal(int(value.denominator))
    else:
        number = Decimal(repr(float(value)))

    if not number.is_finite():
        raise DataError(f"{_at(place)}{value} is not a result. Leave out what is missing.")
    return number


class _Notation(NamedTuple):
    """A number as it is written."""

    number: Decimal
    deviation: Decimal | None = None
    unit: Decimal = _ONE  # of both: 0.01 of percentages


def _read_text(text: str, place: str) -> _Notation:
    """Read a number with its deviation and unit: "53.3 ± 0.2 %" gives 53.3, 0.2 and 0.01."""
    if len(text) > _LONGEST:
        raise DataError(
            f"{_at(place)}{text[:40]!r}... is not a number: it has {len(text):,} characters."
        )
    if "," not in text and _NUMBER.fullmatch(text):  # as most are
        return _Notation(Decimal(text))

    bare = _drop_typesetting(text)
    units = re.findall(UNIT, bare)
    bare = re.sub(rf"(?<!\s)\s*{UNIT}", "", bare).strip()
    in_brackets = _LAST_DIGITS.fullmatch(bare)
    if in_brackets is not None:  # 0.338(2) becomes 0.338 ± 0.002
        digits, decimals, last_digits, power = in_brackets.groups()
        last_digits = last_digits.zfill(len(decimals) + 1)
        whole, fraction = last_digits[: -len(decimals)], last_digits[-len(decimals) :]
        bare = f"{digits}{power} ± {whole}.{fraction}{power}"

    # The number, and its deviation if there is one.
    parts = [part.strip().strip("() ") for part in re.split(PLUS_MINUS, bare)]
    are_numbers = len(parts) <= 2 and all(_NUMBER.fullmatch(part) for part in parts)
    # In 0,338 the comma is no mark of thousands.
    has_comma = any(re.fullmatch(r"[+-]?0,\d{3}", part) for part in parts)
    is_unit_clear = len(units) <= len(parts) and len({*units}) <= 1
    if not are_numbers or has_comma or not is_unit_clear:
        raise DataError(f"{_at(place)}{text.strip()!r} is not a number.{_hint(bare)}")

    decimal_parts = [Decimal(part.replace(",", "")) for part in parts]
    notation = _Notation(*decimal_parts)
    if notation.deviation is not None and notation.deviation < 0:
        raise DataError(f"{_at(place)}{text.strip()!r}: the number after ± is negative.")
    if units:
        return notation._replace(unit=UNITS[units[0]])
    return notation


def _drop_typesetting(text: str) -> str:
    """Write a number of a document with plain signs: $3{,}340.5$ becomes 3,340.5."""
    bare = re.sub(_THIN, lambda found: re.sub("[^0-9]", "", found[0]), text.strip())
    bare = bare.translate(_TYPESET)
    for sign in UNITS:
        bare = bare.replace(f"\\{sign}", sign)
    return bare.replace("{,}", ",").replace("\\,", ",").replace("$", "")


def _at(place: str) -> str:
    return f"{place}: " if place else ""


def _hint(bare: str) -> str:
    if bare.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
        return " Leave out what is missing."
    if re.fullmatch(r"[+-]?\d*,\d+", bare):
        return f" Write it with a decimal point, not a comma: {bare.replace(',', '.')}."
    if "/" in bare:
        return " Write the quotient out."
    return ""


# From this power of ten on, numbers are shown with an exponent.
_WRITTEN_OUT = 7
# From here on, a float does not distinguish neighbouring whole numbers.
_EXACT = 1e15

# What a program writes of a double; papers print fewer digits.
_DOUBLE = re.compile(r"-?\d*\.\d{7,}")


def show_printed(text: str, digits: int) -> str:
    """Return a number as printed, but shorten a double that a program wrote."""
    return show_number(float(text), digits) if _DOUBLE.fullmatch(text) else text


def show_number(value: float, digits: int = 4) -> str:
    """Write a number with `digits` significant digits, mostly without an exponent.

    Examples
    --------
    >>> show_number(6368.04), show_number(0.00071106477, 5)
    ('6,368', '0.00071106')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    exponent = math.floor(math.log10(abs(value)))
    if not -5 <= exponent < _WRITTEN_OUT:
        return f"{value:.{digits - 1}e}"
    return f"{value:,.{max(digits - 1 - exponent, 0)}f}"


def round_outwards(number: float, way: Callable[[float], int], digits: int = 2) -> float:
    """Round a number >= 0 to some digits by `way`, ceil or floor."""
    if number == 0:
        return 0.0
    places = digits - 1 - math.floor(math.log10(number))
    return way(round(number * 10.0**places, 9)) / 10.0**places


def show_rounded(number: float, way: Callable[[float], int], digits: int = 2) -> str:
    """Write a number rounded up or down to some digits."""
    return show_number(round_outwards(number, way, digits), digits)


def show_enough(difference: float | None) -> str:
    """Write the smallest significant difference, rounded up."""
    return "–" if difference is None else show_rounded(difference, math.ceil)


def show_uncertain(
    value: float, interval: Interval, digits: int = 4, *, ends_only: bool = False
) -> str:
    """Write a number with its interval, without digits that mean nothing.

    An exact number is written without an interval. There is no ±, which looks like a deviation over
    runs. The ends are rounded outwards, so that at most 2 % of the interval is cut.

    Examples
    --------
    >>> show_uncertain(6368.04, Interval(6358.6, 6377.5))
    '6,368 (6,358–6,378)'
    >>> show_uncertain(-0.0754, Interval(-0.0763, -0.0745), ends_only=True)
    '-0.0763 to -0.0745'
    """
    open_by = max(interval.upper - value, value - interval.lower)
    exponent = math.floor(math.log10(abs(value))) if value else -math.inf
    # The last decimal place that would be shown: of a large number, written out, the ones.
    last = exponent - digits + 1
    if exponent < _WRITTEN_OUT:
        last = min(last, 0)

    if open_by == 0 or open_by < 0.5 * 10.0**last or not math.isfinite(open_by):
        return show_number(value, digits)

    best, lower, upper = _write_outwards(value, interval, open_by)
    dash = " to " if "-" in f"{lower}{upper}" else "–"  # next to a minus, a dash is misread
    between = f"{lower}{dash}{upper}"
    return between if ends_only else f"{best} ({between})"


def _write_outwards(value: float, interval: Interval, open_by: float) -> tuple[str, str, str]:
    """Write a number and the ends of its interval, rounded outwards, with the digits that matter.

    The last digit is the first one of `open_by`, the distance of the farther end, or the second one
    if the first is 1 or 2.
    """
    power = math.floor(math.log10(open_by))
    if open_by < 3 * 10.0**power:
        power -= 1

    unit = 10.0**power
    slack = 0.02 * open_by / unit  # an end may be cut by so much rather than be rounded outwards
    nearest = round(value / unit)
    least, most = interval.lower / unit + slack, interval.upper / unit - slack
    lower, upper = math.floor(least), math.ceil(most)
    if interval.lower <= value <= interval.upper:  # as the shown numbers must be
        lower, upper = min(lower, nearest), max(upper, nearest)

    numbers = [count * unit for count in (nearest, lower, upper)]
    largest, places = max(abs(numbers[1]), abs(numbers[2])), round(-math.log10(unit))
    # More zeros than a reader counts, or more digits than a float has.
    if places > 8 or largest >= _EXACT:
        places = max(math.floor(math.log10(largest)) + places, 0)
        best, low, high = (f"{number:.{places}e}" for number in numbers)
    else:
        best, low, high = (f"{number:,.{max(places, 0)}f}" for number in numbers)

    return best, low, high


def show_range(best: float | None, lower: float, upper: float) -> str:
    """Write a number with its interval for a notebook; empty for missing numbers."""
    if best is None or not math.isfinite(best):
        return ""
    return show_uncertain(best, Interval(lower, upper))
