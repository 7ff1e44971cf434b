"""Numbers with units, as people type them and lessons give them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

LONGEST = 60
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_POWER = re.compile("(?<=10)[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_ALIKE = str.maketrans({"\N{MINUS SIGN}": "-", "\N{MULTIPLICATION SIGN}": "*", "·": "*", "\u00a0": " ", "\u202f": " "})
_TEN_TO = re.compile(r"(?<![\d.])10 *(?:\^|\*\*) *(?=[-+]?\d)")
_TIMES_TEN_TO = re.compile(r"(?<=\d) *[*xX] *1e")
_QUANTITY = re.compile(
    r"(?P<number>[-+]?(?:\d{1,3}(?:[, ]\d{3})+|\d+)?(?:\.\d+)?)(?:[eE](?P<power>[-+]?\d{1,3}))? *"
    r"(?P<unit>%|\*|-?[A-Za-z][A-Za-z /-]*|) *\.?"
)
_BYTES = {
    "b": 1,
    "byte": 1,
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgtp", 1)},
    **{f"{letter}ib": 1024**power for power, letter in enumerate("kmgtp", 1)},
}
_NO_UNITS = ("*", "x", "time", "fold", "-fold")


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount of something. ``unit`` is ``byte``, with the amount in bytes, or one, in small letters.

    ``bare`` if a number alone says the same.
    """

    amount: Decimal
    unit: str
    bare: bool


def read_quantity(text: str) -> Quantity | None:
    """Read a number with its unit, or without; None if it is none.

    >>> read_quantity("1.875 GB").amount == read_quantity("1,875 MB").amount
    True
    >>> read_quantity("14.4 · 10⁹ parameters")
    Quantity(amount=Decimal('1.44E+10'), unit='parameter', bare=True)
    """
    found = _QUANTITY.fullmatch(_plain(text.strip())) if len(text) <= LONGEST else None
    if found is None or not any(map(str.isdecimal, found["number"])):
        return None
    amount = Decimal(f"{re.sub('[, ]', '', found['number'])}e{found['power'] or 0}")
    unit = found["unit"].strip().lower()
    unit = unit.removesuffix("s") or unit
    if unit in _BYTES:
        return Quantity(amount * _BYTES[unit], "byte", bare=_BYTES[unit] == 1)
    return Quantity(amount, "" if unit in _NO_UNITS else unit, bare=True)


def _plain(text: str) -> str:
    """A number as a program has it: ``14.4 · 10⁹`` as ``14.4e9``."""
    text = _POWER.sub(lambda power: f"^{power[0].translate(_RAISED)}", text).translate(_ALIKE)
    return _TIMES_TEN_TO.sub("e", _TEN_TO.sub("1e", text))
