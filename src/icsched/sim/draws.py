"""Random numbers that depend only on (seed, run, stream, index).

Numbers are not drawn in sequence: the time of task 7's second assignment in run 3 is the same
number for every order. So in one run all orders see the same arrivals and the same first time of
every task. Any run can be computed without the others. The kernel has the same generator
(``cpp/include/icsched/draws.hpp``), operation for operation, so both engines get the same bits. For
the same reason `log`, `exp` and `normal_quantile` use only plain arithmetic: the last bit of a
library's result differs between machines.

The bits are those of SplitMix64 (Steele, Lea, Flood, 2014). Each run and stream has its own
starting number.
"""

import math
from enum import IntEnum

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


class Stream(IntEnum):
    """The purpose of a random number."""

    GAP = 1  # by number of the batch
    SIZE = 2  # by number of the batch
    TIME = 3  # by task and assignment
    LEAVE = 4  # by task and assignment
    SPEED = 5  # by number of the request
    RANK = 6  # by position
    VISIT = 7  # by number of the visit
    REUSE = 8  # by task that follows in a claim
    CLAIM = 9  # by task for which the claim is made
    PHASE = 10  # one number


class Draws:
    """The random numbers of one run.

    >>> draws = Draws(seed=1, run=0)
    >>> draws.uniform(Stream.TIME, 7) == Draws(seed=1, run=0).uniform(Stream.TIME, 7)
    True
    """

    def __init__(self, *, seed: int, run: int) -> None:
        base = _mix(_mix(int(seed)) + _GOLDEN * (int(run) + 1))
        self._inner = {stream: _mix(base + _GOLDEN * stream) for stream in Stream}
        self._outer = {stream: _mix(~key) for stream, key in self._inner.items()}

    def bits(self, stream: Stream, major: int, minor: int = 0) -> int:
        """Return 64 random bits for this index."""
        bits = _mix(self._inner[stream] + _GOLDEN * major)
        if minor == 0:  # fast path for nearly all indices
            return bits
        return _mix(bits ^ (self._outer[stream] + _GOLDEN * minor) & _MASK)

    def uniform(self, stream: Stream, major: int, minor: int = 0) -> float:
        """Return a number strictly between 0 and 1: the middle of one of 2^52 equal intervals."""
        return ((self.bits(stream, major, minor) >> 12) + 0.5) * 2.0**-52

    def exponential(self, stream: Stream, major: int, minor: int = 0) -> float:
        """Return an exponential number of mean 1."""
        return -log(self.uniform(stream, major, minor))

    def normal(self, stream: Stream, major: int, minor: int = 0) -> float:
        """Return a standard normal number."""
        return normal_quantile(self.uniform(stream, major, minor))

    def positive_normal(self, spread: float, stream: Stream, major: int, minor: int) -> float:
        """Return a normal number of mean 1 and this deviation, drawn again until positive."""
        value = 1.0 + spread * self.normal(stream, major, minor)
        while value <= 0.0:
            minor += 1 << 32
            value = 1.0 + spread * self.normal(stream, major, minor)
        return value

    def lognormal(self, sigma: float, stream: Stream, major: int, minor: int = 0) -> float:
        """Return a lognormal number of mean 1; *sigma* is the deviation of its logarithm."""
        return exp(sigma * self.normal(stream, major, minor) - 0.5 * sigma * sigma)


def _mix(z: int) -> int:
    z &= _MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
    return z ^ z >> 31


# Coefficients of fdlibm's log and exp, highest power first; both err by less than one unit
# in the last place.
_LN2_HIGH = float.fromhex("0x1.62e42feep-1")
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
_NEAR_SQRT_HALF = float.fromhex("0x1.6a09ep-1")
_LOG_ODD = (
    1.479819860511658591e-01,
    1.818357216161805012e-01,
    2.857142874366239149e-01,
    6.666666666666735130e-01,
)
_LOG_EVEN = (1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01)
_EXP = (
    4.13813679705723846039e-08,
    -1.65339022054652515390e-06,
    6.61375632143793436117e-05,
    -2.77777777770155933842e-03,
    1.66666666666666019037e-01,
)


def log(x: float) -> float:
    """Natural logarithm of a positive normal number.

    >>> log(2.0) == math.log(2.0)
    True
    """
    mantissa, exponent = math.frexp(x)
    if mantissa < _NEAR_SQRT_HALF:
        mantissa, exponent = 2.0 * mantissa, exponent - 1
    f = mantissa - 1.0
    half_square = 0.5 * f * f
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    rest = z * _polynomial(_LOG_ODD, w) + w * _polynomial(_LOG_EVEN, w)
    return s * (half_square + rest) + exponent * _LN2_LOW - half_square + f + exponent * _LN2_HIGH


def exp(x: float) -> float:
    """Exponential of a number between -700 and 700.

    >>> exp(2.0) == math.exp(2.0)
    True
    """
    power = int(x * 1.44269504088896338700 + (0.5 if x >= 0.0 else -0.5))
    high = x - power * _LN2_HIGH
    low = power * _LN2_LOW
    rest = high - low
    square = rest * rest
    c = rest - square * _polynomial(_EXP, square)
    return math.ldexp(1.0 + (rest * c / (2.0 - c) - low + high), power)


# Wichura's algorithm AS 241 (Applied Statistics 37, 1988) in its shorter form. Its seven correct
# digits are enough for simulations. Each piece is a ratio of polynomials, highest power first: one
# for the middle, one for each tail, one for the tail's end.
_MIDDLE = (
    (5.9109374720e1, 1.5929113202e2, 5.0434271938e1, 3.3871327179e0),
    (6.7187563600e1, 7.8757757664e1, 1.7895169469e1, 1.0),
)
_TAIL = (
    (1.7023821103e-1, 1.3067284816e0, 2.7568153900e0, 1.4234372777e0),
    (1.2021132975e-1, 7.3700164250e-1, 1.0),
)
_END = (
    (1.7337203997e-2, 4.2868294337e-1, 3.0812263860e0, 6.6579051150e0),
    (1.2258202635e-2, 2.4197894225e-1, 1.0),
)


def normal_quantile(p: float) -> float:
    """Return the quantile of the standard normal distribution for probability *p*, 0 < p < 1.

    >>> normal_quantile(0.5), round(normal_quantile(0.975), 6)
    (0.0, 1.959964)
    """
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        return _polynomial(_MIDDLE[0], r) * q / _polynomial(_MIDDLE[1], r)
    r = math.sqrt(-log(p if q < 0.0 else 1.0 - p))
    above, below = _TAIL if r <= 5.0 else _END
    r -= 1.6 if r <= 5.0 else 5.0
    size = _polynomial(above, r) / _polynomial(below, r)
    return -size if q < 0.0 else size


def _polynomial(coefficients: tuple[float, ...], x: float) -> float:
    value = 0.0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


def lognormal_sigma(spread: float) -> float:
    """Deviation of the logarithm of a lognormal number with coefficient of variation *spread*.

    >>> lognormal_sigma(0.0)
    0.0
    """
    return math.sqrt(log(1.0 + spread * spread))
