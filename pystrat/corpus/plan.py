"""The number of lines of each file in an epoch, from its lines and rules."""

from __future__ import annotations

import numbers
import os
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np

from pystrat import _core
from pystrat.arrays import Wanted, as_vector, in_order_of, plain_array
from pystrat.lazy_pandas import pd
from pystrat.limits import MAX_COUNT, MAX_EXACT
from pystrat.messages import (
    as_written,
    check_integer,
    check_iterable,
    check_list,
    count_of,
    is_number,
    refused_type,
    refused_value,
    show,
)
from pystrat.corpus.rules import Rule, RuleSource, encoded, read_rules, rules_of_files
from pystrat.value_names import names_index

Weights = Sequence[Union[float, str]]
_KEEP = "*"
_WEIGHTS = f"be a list with a number from 0 to {MAX_EXACT}, or '*', for each file"


@dataclass(frozen=True)
class FilePlan:
    """The part of one file in an epoch.

    Attributes
    ----------
    name : str
        The file's name without the suffix, preceded by some of its folders if several files have the name.
    lines : int
        The number of its lines, including those that limits exclude.
    rule : Rule or None
        The rule that covers it, if there are rules.
    uniform_share : float
        Its share of all lines that are not kept; 0 if it is kept itself.
    share : float
        Its share of the lines to draw.
    drawn : int
        The number of lines to draw.
    kept : int
        The number of lines that occur once each, whatever is drawn.
    excluded : int, default 0
        The number of lines that limits exclude: they are not drawn, and shares are computed from the others.
    """

    name: str
    lines: int
    rule: Optional[Rule]
    uniform_share: float
    share: float
    drawn: int
    kept: int
    excluded: int = 0


class PlanSettings(NamedTuple):
    """Everything except lines and weights that plans depend on, from the parameters of the user."""

    names: Sequence[bytes]  # of the files, without suffix
    rules: Optional[Sequence[Rule]]
    temperature: Any
    sample: Any
    epoch_end: Any
    cap: Any = None
    assign: str = "shuffled"
    batch_size: Any = None
    num_replicas: Any = None

    def numbers(
        self, lines: Sequence[int], weights: Any, most_lines: int, of_files: Sequence[Optional[Rule]]
    ) -> dict[str, Any]:
        """Return the numbers of each file that the core finds."""
        sample = float(self.sample) if isinstance(self.sample, Fraction) else self.sample
        items: Any = ()
        arguments = {
            "weights": weights,
            "temperature": self.temperature,
            "cap": self.cap,
            "assign": self.assign,
            "batch_size": self.batch_size,
            "num_replicas": self.num_replicas,
            "sample": as_written(sample) if isinstance(sample, np.floating) else sample,
            "is_count": isinstance(sample, numbers.Integral),
            "epoch_end": self.epoch_end,
            "most_lines": most_lines,
        }
        data: dict[str, Any] = {"lines": np.array(lines, dtype=np.float64)}
        if self.rules is not None:
            data["rules"] = np.array([np.nan if rule.weight is None else rule.weight for rule in self.rules])
            data["file_rules"] = np.array([np.nan if rule is None else float(rule.number) for rule in of_files])
        elif weights is not None:
            names = [shown_name(os.fsdecode(name)) for name in self.names]
            items = _items_of(in_order_of(weights, [names], "weights"), len(names))
            data["keeps"] = np.array([isinstance(item, str) and item == _KEEP for item in items], dtype=np.uint8)
            data["file_weights"] = np.array([as_written(item) if is_number(item) else np.nan for item in items])

        def name_of(word: str, *places: str) -> str:
            number = int(places[0]) - 1
            return show(items[number]) if word == "weight" else f"'{shown_name(os.fsdecode(self.names[number]))}'"

        return _core.call("corpus_plan", arguments, data, name_of)


class CorpusPlan:
    """The number of lines of each file in an epoch.

    Parameters
    ----------
    names : sequence of str
        The names of the files, without suffix.
    lines : sequence of int
        The number of lines of each file.
    sample : float or int
        A float g with 0 < g < 1 draws the share g of all lines that are not kept, in addition to those that are kept.
        An integer g >= 1 is the number of lines of an epoch, including those that are kept. Other floats, even whole
        ones, raise an error, because 1.0 could mean either.
    rules : path or sequence of str, optional
        A file of rules, or its lines, as in `CorpusMixtureBatchSampler`. Without `rules`, `weights` and `temperature`,
        files contribute in proportion to their lines.
    weights : sequence of float or "*", optional
        The weight of each file: a number from 0, which leaves it out, or "*" to keep all its lines.
    temperature : float, optional
        At least 1: the weight of each file is the number of its lines, to the power of 1 / temperature.
    cap : int, optional
        The number of lines as which a larger file counts, by itself or before `temperature`.
    epoch_end : str, default "sample"
        "sample": an epoch is a sample. "first_exhausted": it is as large as possible without drawing a line twice.
        "all_exhausted": it is as small as possible with every line of the files that have shares. With the last two,
        `sample` is not given.

    Attributes
    ----------
    files : tuple of FilePlan
    requested : float
        The number of lines to draw, before rounding.

    Raises
    ------
    TypeError, ValueError
        If `sample` is neither, a rule is invalid, more lines are kept than an epoch should have, or there is nothing to
        draw from.

    Notes
    -----
    * A rule counts if a file with lines matches it. File f, covered by rule r, has the share ``weight of r / weights of
      all rules that count * lines of f / lines of all files of r``, and contributes ``ceil(requested * share)`` lines.
    * With `weights` or `temperature`, each file is treated as if it had its own rule.
    * With "first_exhausted", the requested number is the least of ``lines of f / share of f``, and file f contributes
      ``floor(requested * share)`` lines. With "all_exhausted", it is the greatest, and file f contributes the ceiling.
    * Numbers of lines that are whole within 1e-12 are not rounded further: 0.1 of 30 lines is 3.
    * With ``assign="even"`` of a mixture, epochs are full batches: an epoch has T lines, the requested number and the
      kept lines, rounded up, with "first_exhausted" down, to a multiple of `batch_size` and of `num_replicas`. Each
      file contributes the floor or the ceiling of its share of the lines to draw, by the largest remainders.
    * Otherwise, an epoch draws at least the requested number in total, and exceeds it by less than the number of files;
      with "first_exhausted", at most the requested number.
    """

    def __init__(
        self,
        names: Sequence[str],
        lines: Sequence[int],
        sample: Any = None,
        rules: Optional[RuleSource] = None,
        *,
        weights: Optional[Weights] = None,
        temperature: Optional[float] = None,
        cap: Optional[int] = None,
        epoch_end: str = "sample",
    ) -> None:
        names = check_list(names, "names", required="be the names of the files", kinds=(str,))
        lines = _check_lines(lines, len(names))
        read = None if rules is None else read_rules(rules)
        settings = PlanSettings([encoded(name, "names") for name in names], read, temperature, sample, epoch_end, cap)
        self._share_out(names, lines, lines, settings, weights, MAX_EXACT)
        self.has_limits = False

    @classmethod
    def of_files(
        cls,
        labels: Sequence[str],
        lines: Sequence[int],
        settings: PlanSettings,
        weights: Any,
        remaining: Optional[Sequence[int]] = None,
    ) -> "CorpusPlan":
        """Make the plan of a sampler; errors name its parameters.

        `remaining` is the number of lines of each file that limits do not exclude; None if there are no limits.
        """
        plan = cls.__new__(cls)
        plan._share_out(labels, lines, remaining or lines, settings, weights, MAX_COUNT)
        plan.has_limits = remaining is not None
        return plan

    def _share_out(
        self,
        labels: Sequence[str],
        all_lines: Sequence[int],
        lines: Sequence[int],
        settings: PlanSettings,
        weights: Any,
        most_lines: int,
    ) -> None:
        """Plan an epoch of `lines` of the files, which have `all_lines` in total."""
        self.has_rules = settings.rules is not None
        rules = rules_of_files(settings.rules or (), settings.names)
        found = settings.numbers(lines, weights, most_lines, rules)
        self.requested = float(found["requested"])
        self.unused = tuple(rule for rule in settings.rules or () if rule not in rules)
        per_file = [found[name] for name in ("uniform_share", "share", "drawn", "kept")]
        self.files = tuple(
            FilePlan(
                name=label,
                lines=in_all,
                rule=rule,
                uniform_share=float(uniform_share),
                share=float(share),
                drawn=int(drawn),
                kept=int(kept),
                excluded=in_all - count,
            )
            for label, count, in_all, rule, *numbers in zip(labels, lines, all_lines, rules, *per_file)
            for uniform_share, share, drawn, kept in [numbers]
        )

    @property
    def total(self) -> int:
        """The number of lines in an epoch, drawn and kept."""
        return sum(file.drawn + file.kept for file in self.files)

    @property
    def unmatched(self) -> tuple[str, ...]:
        """The names of the files that no rule covers, and that are therefore left out."""
        return tuple(file.name for file in self.files if self.has_rules and file.rule is None)

    def table(self) -> pd.DataFrame:
        """Return the plan as a table, one row per file.

        Returns
        -------
        pandas.DataFrame
            ``file``, ``lines``, ``rule`` (its number from 1, NaN if there is none), ``uniform_share`` and ``share``
            (from 0 to 1), ``drawn`` and ``kept`` (lines of an epoch); if there are limits, ``excluded`` after ``lines``
        """
        excluded = {"excluded": np.array([file.excluded for file in self.files], dtype=np.int64)}
        return pd.DataFrame(
            {
                "file": names_index(file.name for file in self.files),
                "lines": np.array([file.lines for file in self.files], dtype=np.int64),
                **(excluded if self.has_limits else {}),
                "rule": np.array([np.nan if file.rule is None else file.rule.number for file in self.files]),
                "uniform_share": np.array([float(file.uniform_share) for file in self.files]),
                "share": np.array([float(file.share) for file in self.files]),
                "drawn": np.array([file.drawn for file in self.files], dtype=np.int64),
                "kept": np.array([file.kept for file in self.files], dtype=np.int64),
            }
        )

    def summary(self) -> str:
        """Return the plan as text: one row per file, totals, and the files that no rule covers.

        In a name that is not in the file system's encoding, invalid bytes are shown as ``\\xe9``.
        """
        rows: list[tuple[str, ...]] = [("file", "lines", "excluded", "rule", "uniform", "share", "drawn", "kept")]
        for file in self.files:
            number = "-" if file.rule is None else str(file.rule.number)
            shares = (f"{100 * float(file.uniform_share):.2f} %", f"{100 * float(file.share):.2f} %")
            counts = (str(file.lines), str(file.excluded), number)
            rows.append((shown_name(file.name), *counts, *shares, str(file.drawn), str(file.kept)))
        columns = ("lines", "excluded", "drawn", "kept")
        totals = [str(sum(getattr(file, column) for file in self.files)) for column in columns]
        rows.append(("total", *totals[:2], "", "", "", *totals[2:]))
        if not self.has_limits:
            rows = [(*row[:2], *row[3:]) for row in rows]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))])
            for row in rows
        ]
        lines.append(f"An epoch has {count_of(self.total, 'line')}.")
        if self.unmatched:
            lines.append(f"No rule covers {', '.join(map(shown_name, self.unmatched))}: left out.")
        return "\n".join(lines)


def _check_lines(lines: Any, n_files: int) -> list[int]:
    """Return the lines of the files as ints."""
    found = plain_array(lines, "lines")
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iuf"):
        raise refused_type("lines", "be a vector of the numbers of lines", show(lines))
    if len(found) != n_files:
        raise refused_value("lines", f"have one number for each of the names, {n_files}", show(found))
    return [check_integer(count, "lines", minimum=0, maximum=MAX_EXACT) for count in found.tolist()]


def shown_name(name: str) -> str:
    """Return the name of a file as text that any output accepts: bytes that are not characters as ``\\xe9``."""
    return os.fsencode(name).decode(sys.getfilesystemencoding(), "backslashreplace")


def _items_of(weights: Any, n_files: int) -> Any:
    """Return the weights of files as a vector, whatever they are."""
    if not hasattr(weights, "__len__"):
        weights = _at_most(check_iterable(weights, "weights", required=_WEIGHTS), n_files + 1)
    return as_vector(weights, Wanted("weights", _WEIGHTS))


def _at_most(items: Any, most: int) -> list[Any]:
    """Return the items of an iterable, which may be endless."""
    found = []
    for item in items:
        found.append(item)
        if len(found) == most:
            break
    return found
