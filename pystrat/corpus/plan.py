"""The number of lines of each file in an epoch, from its lines and rules. Integers and fractions only."""

from __future__ import annotations

import math
import numbers
import os
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Optional, Sequence

import numpy as np
import pandas as pd

from pystrat.arrays import plain_array
from pystrat.frames import names_index
from pystrat.limits import MAX_EXACT
from pystrat.messages import (
    as_double,
    check_choice,
    check_integer,
    check_list,
    count_of,
    is_number,
    refused_type,
    refused_value,
    show,
    show_number,
)
from pystrat.corpus.division import Division, Weights, divide
from pystrat.corpus.files import ParallelFile
from pystrat.corpus.rules import Rule, RuleSource, encoded, read_rules


EPOCH_ENDS = ("sample", "first_exhausted", "all_exhausted")


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
    uniform_share : fractions.Fraction
        Its share of all lines that are not kept; 0 if it is kept itself.
    share : fractions.Fraction
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
    uniform_share: Fraction
    share: Fraction
    drawn: int
    kept: int
    excluded: int = 0


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
        An integer g >= 1 is the number of lines of an epoch, including those that are kept. Other floats, also whole
        ones, are refused, because 1.0 could mean either.
    rules : path or sequence of str, optional
        A file of rules, or its lines, as in `CorpusMixtureBatchSampler`. Without `rules`, `weights` and `temperature`,
        files contribute in proportion to their lines.
    weights : sequence of float or "*", optional
        The weight of each file: a number from 0, which leaves it out, or "*" to keep all its lines.
    temperature : float, optional
        At least 1: the weight of each file is the number of its lines, to the power of 1 / temperature.
    epoch_end : str, default "sample"
        "sample": an epoch is a sample. "first_exhausted": it is as large as possible without drawing a line twice.
        "all_exhausted": it is as small as possible with every line of the files that have shares. With the last two,
        `sample` is not given.

    Attributes
    ----------
    files : tuple of FilePlan
    requested : fractions.Fraction
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
    * Everything is computed in exact fractions, where weights and `sample` are the decimal numbers that are written:
      floating point gave another number of lines in 107 of 20,000 settings that were tried. Powers by `temperature` are
      first rounded to 12 significant digits, so that they are the same on every machine.
    * In total, an epoch draws at least the requested number, and exceeds it by less than the number of files; with
      "first_exhausted", at most the requested number.
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
        epoch_end: str = "sample",
    ) -> None:
        names = check_list(names, "names", required="be the names of the files", kinds=(str,))
        lines = _check_lines(lines, len(names))
        read = None if rules is None else read_rules(rules)
        division = divide(
            [encoded(name, "names") for name in names], lines, rules=read, weights=weights, temperature=temperature
        )
        self._share_out(names, lines, division, sample, epoch_end, lines)
        self.has_limits = False

    @classmethod
    def of_files(
        cls,
        files: Sequence[ParallelFile],
        division: Division,
        sample: Any,
        epoch_end: str,
        remaining: Optional[Sequence[int]] = None,
    ) -> "CorpusPlan":
        """Make the plan of a sampler, which has divided the files; errors name its parameters.

        `remaining` is the number of lines of each file that limits do not exclude; None if there are no limits.
        """
        plan = cls.__new__(cls)
        lines = [len(file) for file in files]
        plan._share_out([file.label for file in files], remaining or lines, division, sample, epoch_end, lines)
        plan.has_limits = remaining is not None
        return plan

    def _share_out(
        self,
        labels: Sequence[str],
        lines: Sequence[int],
        division: Division,
        sample: Any,
        epoch_end: str,
        all_lines: Sequence[int],
    ) -> None:
        """Plan an epoch of `lines` of the files, which have `all_lines` in total."""
        _check_epoch_end(epoch_end, sample)
        kept = [count if keep else 0 for count, keep in zip(lines, division.keeps)]
        others = sum(lines) - sum(kept)
        shares = division.shares(lines)
        rounded = math.floor if epoch_end == "first_exhausted" else math.ceil
        if epoch_end == "sample":
            self.requested = _requested(sample, others, sum(kept), division.parameter)
            if self.requested > 0 and not any(shares):
                _refuse_without_lines(division, "sample", f"draw {show_number(self.requested)} from")
        else:
            self.requested = _exhausting(lines, shares, epoch_end)
            if not any(shares) and not any(kept):
                _refuse_without_lines(division, "epoch_end", "draw from")
        self.has_rules = division.parameter == "rules"
        self.files = tuple(
            FilePlan(
                name=label,
                lines=in_all,
                rule=rule,
                uniform_share=Fraction(0) if keep else Fraction(count, others or 1),
                share=share,
                drawn=rounded(self.requested * share),
                kept=count if keep else 0,
                excluded=in_all - count,
            )
            for label, count, in_all, rule, keep, share in zip(
                labels, lines, all_lines, division.rules, division.keeps, shares
            )
        )
        if self.total == 0:
            raise refused_value("sample", "give an epoch at least one line", f"{show(sample)}, for none")

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


def _requested(sample: Any, others: int, kept: int, keeper: Optional[str]) -> Fraction:
    """Return the number of lines to draw."""
    required = "be a share between 0 and 1, or a number of lines: an integer from 1"
    if not is_number(sample):
        raise refused_type("sample", required, show(sample))
    if not isinstance(sample, numbers.Integral):
        number = as_double(sample)
        if 0 < number < 1:
            return Fraction(str(sample)) * others
        # 1.0, all lines or one line, would be shown as 1, which is allowed.
        advice = f"A number of lines is written {number:.0f}, in R {number:.0f}L." if number.is_integer() else None
        raise refused_value("sample", required, f"the floating-point number {number!r}", advice)
    if not 1 <= int(sample) <= MAX_EXACT:
        raise refused_value("sample", required, show(sample))
    if sample < kept:
        required = f"be at least {kept}, the lines that {keeper} keep"
        raise refused_value("sample", required, show(sample))
    return Fraction(int(sample) - kept)


def _check_epoch_end(epoch_end: Any, sample: Any) -> None:
    """Refuse a number of lines with an end that determines the number."""
    check_choice(epoch_end, "epoch_end", choices=EPOCH_ENDS)
    if epoch_end != "sample" and sample is not None:
        raise refused_value("sample", f"be left out if 'epoch_end' is '{epoch_end}'", show(sample))


def _exhausting(lines: Sequence[int], shares: Sequence[Fraction], epoch_end: str) -> Fraction:
    """Return the number of lines to draw by shares until the first file, or each one, has no new lines left."""
    needed = [count / share for count, share in zip(lines, shares) if share > 0]
    return (min if epoch_end == "first_exhausted" else max)(needed, default=Fraction(0))


def _refuse_without_lines(division: Division, otherwise: str, purpose: str) -> None:
    """Refuse parameters that leave no lines; `otherwise` is the parameter, unless rules or weights divide the files."""
    required = {"rules": "match a file that has lines", "weights": "be above 0 for a file that has lines"}
    parameter = division.parameter if division.parameter in required else otherwise
    got = f"{count_of(len(division.groups), 'file')} without any to {purpose}"
    raise refused_value(parameter, required.get(parameter, "be taken from files that have lines"), got)
