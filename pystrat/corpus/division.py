"""The division of an epoch among files: by rules, by a weight for each file, by a temperature, or by lines."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Optional, Sequence, Union

from pystrat.arrays import Wanted, as_vector
from pystrat.limits import MAX_EXACT
from pystrat.messages import as_written, check_iterable, check_number, count_of, is_number, refused_value, show
from pystrat.corpus.rules import Rule, find_rule

Weights = Sequence[Union[float, str]]
_KEEP = "*"
_WEIGHTS = f"be a list with a number from 0 to {MAX_EXACT}, or '*', for each file"


@dataclass(frozen=True)
class Division:
    """Groups of files with weights: a group has its share of the weights, and a file its share of the group's lines.

    Attributes
    ----------
    groups : tuple of int or None
        The group of each file; None if nothing is drawn from it.
    weights : tuple of fractions.Fraction
        The weight of each group, above 0.
    keeps : tuple of bool
        Whether each line of a file occurs once, whatever is drawn.
    rules : tuple of Rule or None
        The rule that covers each file, if there are rules.
    parameter : str or None
        The parameter that divides the files; None if only their lines do.
    """

    groups: tuple[Optional[int], ...]
    weights: tuple[Fraction, ...]
    keeps: tuple[bool, ...]
    rules: tuple[Optional[Rule], ...]
    parameter: Optional[str] = None

    def lines_of_groups(self, lines: Sequence[int]) -> dict[int, int]:
        """Return the lines of the files of each group that has any."""
        found: dict[int, int] = {}
        for group, count in zip(self.groups, lines):
            if group is not None and count > 0:
                found[group] = found.get(group, 0) + count
        return found

    def shares(self, lines: Sequence[int]) -> list[Fraction]:
        """Return each file's share of the lines to draw; groups without lines do not count."""
        sums = self.lines_of_groups(lines)
        total = sum((self.weights[group] for group in sums), Fraction(0))
        return [
            Fraction(0) if group is None or count == 0 else self.weights[group] / total * Fraction(count, sums[group])
            for group, count in zip(self.groups, lines)
        ]


def divide(
    names: Sequence[bytes],
    lines: Sequence[int],
    *,
    rules: Optional[Sequence[Rule]] = None,
    weights: Any = None,
    temperature: Any = None,
) -> Division:
    """Divide files by at most one of rules, which were read, weights and a temperature, or otherwise by their lines.

    Raises
    ------
    TypeError, ValueError
        If `weights` or `temperature` is invalid, or more than one is given.
    """
    given = {"rules": rules, "weights": weights, "temperature": temperature}
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) > 1:
        raise refused_value(chosen[1], f"be left out if '{chosen[0]}' is given", show(given[chosen[1]]))
    if rules is not None:
        return _by_rules(rules, names)
    if weights is not None:
        return _by_weights(_read_weights(weights, len(names)))
    n_files = len(names)
    if temperature is not None:
        temperature = check_number(temperature, "temperature", minimum=1)
    if temperature is None or temperature == 1:
        return Division((0,) * n_files, (Fraction(1),), (False,) * n_files, (None,) * n_files)
    return _by_temperature(lines, temperature)


def _by_rules(rules: Sequence[Rule], names: Sequence[bytes]) -> Division:
    covering = tuple(find_rule(rules, name) for name in names)
    drawing = {rule.number: rule.weight for rule in covering if rule is not None and rule.weight is not None}
    place_of = {number: place for place, number in enumerate(drawing)}
    groups = tuple(None if rule is None else place_of.get(rule.number) for rule in covering)
    keeps = tuple(rule is not None and rule.weight is None for rule in covering)
    return Division(groups, tuple(drawing.values()), keeps, covering, "rules")


def _by_weights(weights: Sequence[Optional[Fraction]], *, parameter: str = "weights") -> Division:
    """Divide by the weight of each file, None for one that is kept; each file with a weight above 0 is a group."""
    places = [place for place, weight in enumerate(weights) if weight]
    group_of = {place: group for group, place in enumerate(places)}
    groups = tuple(group_of.get(place) for place in range(len(weights)))
    positive = tuple(weight for weight in weights if weight)
    keeps = tuple(weight is None for weight in weights)
    return Division(groups, positive, keeps, (None,) * len(weights), parameter)


def _read_weights(weights: Any, n_files: int) -> list[Optional[Fraction]]:
    """Return weights as exact fractions of the decimal numbers that represent them, None for kept files."""
    if not hasattr(weights, "__len__"):
        weights = _at_most(check_iterable(weights, "weights", required=_WEIGHTS), n_files + 1)
    items = as_vector(weights, Wanted("weights", _WEIGHTS))
    if len(items) != n_files:
        raise refused_value("weights", f"have one entry for each file, {n_files}", count_of(len(items), "value"))
    return [None if isinstance(item, str) and item == _KEEP else _read_weight(item) for item in items]


def _at_most(items: Any, most: int) -> list[Any]:
    """Return the items of an iterable, which may be endless."""
    found = []
    for item in items:
        found.append(item)
        if len(found) == most:
            break
    return found


def _read_weight(weight: Any) -> Fraction:
    if is_number(weight):
        number = int(weight) if isinstance(weight, numbers.Integral) else as_written(weight)
        if 0 <= number <= MAX_EXACT:
            return Fraction(repr(number))
    raise refused_value("weights", _WEIGHTS, f"a list with {show(weight)}")


def _by_temperature(lines: Sequence[int], temperature: float) -> Division:
    """Divide in proportion to lines^(1 / temperature), rounded to 12 digits, which are the same on every machine."""
    powers = [Fraction(f"{count ** (1 / temperature):.12g}") for count in lines]
    return _by_weights(powers, parameter="temperature")
