"""Random numbers that depend on (seed, run, stream, index) alone.

Nothing is drawn in sequence: the time of task 7's second assignment in run 3 is the same
number whatever else happens in that run. So two policies in one run meet the same arrivals
and the same first time of every task, and any run can be computed alone. The kernel has the
same generator (``cpp/include/icsched/draws.hpp``), operation for operation: both engines
get the same bits. That is why `log`, `exp` and `normal_quantile` are written out here in
plain arithmetic instead of taken from a library, whose last bit differs between machines.

Bits come from two rounds of the finaliser of SplitMix64 (Steele, Lea, Flood, 2014).
"""

import math
from enum import IntEnum

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


class Stream(IntEnum):
    """What a number is drawn for."""

    GAP = 1  # by number of the batch
    SIZE = 2  # by number of the batch
    TIME = 3  # by task and assignment
    LEAVE = 4  # by task and assignment
    SPEED = 5  # by number of the request
    RANK = 6  # by position


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
        inner = _mix(self._inner[stream] + _GOLDEN * major)
        return _mix(inner ^ (self._outer[stream] + _GOLDEN * minor) & _MASK)

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

    def permutation(self, count: int) -> list[int]:
        """Return a random order of 0 .. count - 1 (the shuffle of Fisher and Yates)."""
        order = list(range(count))
        for last in range(count - 1, 0, -1):
            other = self.bits(Stream.RANK, last) * (last + 1) >> 64
            order[last], order[other] = order[other], order[last]
        return order


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


# Wichura's algorithm AS 241 (Applied Statistics 37, 1988), accurate to about 1e-16: a ratio
# of polynomials, highest power first, for the middle, one for each tail, one for its end.
_MIDDLE = (
    (
        2.50908_09287_30122_6727e3,
        3.34305_75583_58812_8105e4,
        6.72657_70927_00870_0853e4,
        4.59219_53931_54987_1457e4,
        1.37316_93765_50946_1125e4,
        1.97159_09503_06551_4427e3,
        1.33141_66789_17843_7745e2,
        3.38713_28727_96366_6080e0,
    ),
    (
        5.22649_52788_52854_5610e3,
        2.87290_85735_72194_2674e4,
        3.93078_95800_09271_0610e4,
        2.12137_94301_58659_5867e4,
        5.39419_60214_24751_1077e3,
        6.87187_00749_20579_0830e2,
        4.23133_30701_60091_1252e1,
        1.0,
    ),
)
_TAIL = (
    (
        7.74545_01427_83414_07640e-4,
        2.27238_44989_26918_45833e-2,
        2.41780_72517_74506_11770e-1,
        1.27045_82524_52368_38258e0,
        3.64784_83247_63204_60504e0,
        5.76949_72214_60691_40550e0,
        4.63033_78461_56545_29590e0,
        1.42343_71107_49683_57734e0,
    ),
    (
        1.05075_00716_44416_84324e-9,
        5.47593_80849_95344_94600e-4,
        1.51986_66563_61645_71966e-2,
        1.48103_97642_74800_74590e-1,
        6.89767_33498_51000_04550e-1,
        1.67638_48301_83803_84940e0,
        2.05319_16266_37758_82187e0,
        1.0,
    ),
)
_END = (
    (
        2.01033_43992_92288_13265e-7,
        2.71155_55687_43487_57815e-5,
        1.24266_09473_88078_43860e-3,
        2.65321_89526_57612_30930e-2,
        2.96560_57182_85048_91230e-1,
        1.78482_65399_17291_33580e0,
        5.46378_49111_64114_36990e0,
        6.65790_46435_01103_77720e0,
    ),
    (
        2.04426_31033_89939_78564e-15,
        1.42151_17583_16445_88870e-7,
        1.84631_83175_10054_68180e-5,
        7.86869_13114_56132_59100e-4,
        1.48753_61290_85061_48525e-2,
        1.36929_88092_27358_05310e-1,
        5.99832_20655_58879_37690e-1,
        1.0,
    ),
)


def normal_quantile(p: float) -> float:
    """Return what a standard normal number stays below with probability *p*, 0 < p < 1.

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
