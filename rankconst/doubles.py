"""Arrays of whole numbers and doubles, and what a double carries."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]
    Counts = NDArray[np.int64]
    Complex = NDArray[np.complex128]

# Largest relative error of one correctly rounded operation on doubles.
UNIT_ROUNDOFF = 2.0**-53

# Keeps the logarithm of what has vanished finite; what it adds is far below rounding.
TINY = 1e-300
