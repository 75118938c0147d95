"""How colours look: contrast by WCAG, difference by CIEDE2000, and simulated colour vision deficiencies."""

from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt

Triple = tuple[float, float, float]

# Machado, Oliveira and Fernandes (2009), severity 1.0, for linear RGB.
EYES: dict[str, tuple[Triple, Triple, Triple]] = {
    "common": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
_TO_XYZ: tuple[Triple, Triple, Triple] = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
_WHITE: Triple = (0.95047, 1.0, 1.08883)


def seen(colour: str, eye: str) -> Triple:
    """A colour such as #cf3f1d in linear RGB, as this eye sees it."""
    red, green, blue = (_linear(byte / 255) for byte in bytes.fromhex(colour[1:]))
    x, y, z = _times(EYES[eye], (red, green, blue))
    return min(max(x, 0), 1), min(max(y, 0), 1), min(max(z, 0), 1)


def contrast(one: Triple, other: Triple) -> float:
    """The contrast ratio of WCAG 2."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def lab(colour: Triple) -> Triple:
    """CIELAB under D65."""
    x, y, z = (_root(value / white) for value, white in zip(_times(_TO_XYZ, colour), _WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(one: Triple, other: Triple) -> float:
    """How different two colours in CIELAB look: 1 is just seen, 10 at a glance."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    chroma = (hypot(a1, b1) + hypot(a2, b2)) / 2
    grey = 1 + (1 - sqrt(chroma**7 / (chroma**7 + 25**7))) / 2
    c1, c2 = hypot(a1 * grey, b1), hypot(a2 * grey, b2)
    h1, h2 = degrees(atan2(b1, a1 * grey)) % 360, degrees(atan2(b2, a2 * grey)) % 360
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    lightness, saturation = (l1 + l2) / 2, (c1 + c2) / 2
    hue = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    by_lightness = (l2 - l1) / (1 + 0.015 * (lightness - 50) ** 2 / sqrt(20 + (lightness - 50) ** 2))
    by_chroma = (c2 - c1) / (1 + 0.045 * saturation)
    by_hue = 2 * sqrt(c1 * c2) * sin(radians(turn / 2)) / (1 + 0.015 * saturation * _by_hue(hue))
    spin = 60 * exp(-(((hue - 275) / 25) ** 2))
    mixed = -sin(radians(spin)) * 2 * sqrt(saturation**7 / (saturation**7 + 25**7))
    return sqrt(by_lightness**2 + by_chroma**2 + by_hue**2 + mixed * by_chroma * by_hue)


def _by_hue(hue: float) -> float:
    parts = ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.20, 4, -63))
    return 1 + sum(part * cos(radians(times * hue + shift)) for part, times, shift in parts)


def _luminance(colour: Triple) -> float:
    return _times(_TO_XYZ, colour)[1]


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def _root(value: float) -> float:
    return float(value ** (1 / 3)) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116


def _times(matrix: tuple[Triple, Triple, Triple], vector: Triple) -> Triple:
    x, y, z = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
    return x, y, z
