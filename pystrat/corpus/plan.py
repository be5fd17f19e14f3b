"""Lines of the files and rules -> how many lines of each file an epoch draws. Pure integers and fractions."""

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
from pystrat.entries import named_by_class
from pystrat.limits import MAX_EXACT
from pystrat.messages import (
    RefusedType,
    RefusedValue,
    as_double,
    check_integer,
    check_list,
    count_of,
    is_number,
    show,
    show_number,
)
from pystrat.corpus.files import ParallelFile
from pystrat.corpus.rules import Rule, RuleSource, encoded, find_rule, read_rules


@dataclass(frozen=True)
class FilePlan:
    """What an epoch takes of one file.

    Attributes
    ----------
    name : str
        The file's name without the suffix; after some of its folders if several files have the name.
    lines : int
        Lines that it has.
    rule : Rule or None
        The rule that covers it, where there are rules.
    uniform_share : fractions.Fraction
        Its share of all lines that no rule keeps; 0 where it is kept itself.
    share : fractions.Fraction
        Its share of the lines to draw.
    drawn : int
        Lines to draw, with replacement.
    kept : int
        Lines that come once each, whatever is drawn.
    """

    name: str
    lines: int
    rule: Optional[Rule]
    uniform_share: Fraction
    share: Fraction
    drawn: int
    kept: int


class CorpusPlan:
    """How many lines of each file an epoch has.

    Parameters
    ----------
    names : sequence of str
        The names of the files, without suffix.
    lines : sequence of int
        The lines of each.
    sample : float or int
        A float g with 0 < g < 1: as many lines are drawn as the share g of all lines that no rule keeps, and those that
        a rule keeps come besides. An integer g >= 1: an epoch has g lines, those that a rule keeps among them. Other
        floats are refused, whole ones too, since 1.0 may mean either.
    rules : path or sequence of str, optional
        A file of rules, or its lines, as `CorpusMixtureBatchSampler` takes them. Without, every file has its share of
        the lines.

    Attributes
    ----------
    files : tuple of FilePlan
    requested : fractions.Fraction
        How many lines are to be drawn, before rounding.

    Raises
    ------
    TypeError, ValueError
        Where `sample` is neither, a rule is none, more lines are kept than an epoch shall have, or there is nothing to
        draw from.

    Notes
    -----
    * A rule counts if a file with lines matches it. File f, covered by rule r, has the share ``weight of r / weights of
      all rules that count * lines of f / lines of all files of r``, and gives ``ceil(requested * share)`` lines.
    * All is computed in exact fractions, weights and `sample` being read as the decimal numbers that are written:
      floating point gave another number of lines in 107 of 20,000 settings that were tried.
    * In all, an epoch draws what is requested or more, by less than the number of files.
    """

    @named_by_class
    def __init__(
        self,
        names: Sequence[str],
        lines: Sequence[int],
        sample: Any,
        rules: Optional[RuleSource] = None,
    ) -> None:
        names = check_list(names, "names", required="be the names of the files", kinds=(str,))
        lines = _check_lines(lines, len(names))
        for name in names:
            encoded(name, "names")
        self._share_out(names, names, lines, sample, None if rules is None else read_rules(rules))

    @classmethod
    def of_files(cls, files: Sequence[ParallelFile], sample: Any, rules: Optional[Sequence[Rule]]) -> "CorpusPlan":
        """Make the plan of a sampler, which has read the rules, and in whose name parameters are refused."""
        plan = cls.__new__(cls)
        names, labels = [file.name for file in files], [file.label for file in files]
        plan._share_out(names, labels, [len(file) for file in files], sample, rules)
        return plan

    def _share_out(
        self,
        names: Sequence[str],
        labels: Sequence[str],
        lines: Sequence[int],
        sample: Any,
        rules: Optional[Sequence[Rule]],
    ) -> None:
        covering = [None if rules is None else find_rule(rules, encoded(name, "names")) for name in names]
        is_kept = [rule is not None and rule.weight is None for rule in covering]
        kept = [count if keep else 0 for count, keep in zip(lines, is_kept)]
        others = sum(lines) - sum(kept)
        self.requested = _requested(sample, others, sum(kept))
        if rules is None:
            shares = [Fraction(count, others or 1) for count in lines]
        else:
            shares = _shares(covering, lines)
        if self.requested > 0 and not any(shares):
            required = "match a file that has lines" if rules is not None else "be taken from files that have lines"
            got = f"{count_of(len(names), 'file')} without any to draw {show_number(self.requested)} from"
            raise RefusedValue("sample" if rules is None else "rules", required, got)
        self.has_rules = rules is not None
        self.files = tuple(
            FilePlan(
                name=label,
                lines=count,
                rule=rule,
                uniform_share=Fraction(0) if keep else Fraction(count, others or 1),
                share=share,
                drawn=math.ceil(self.requested * share),
                kept=count if keep else 0,
            )
            for label, count, rule, keep, share in zip(labels, lines, covering, is_kept, shares)
        )
        if self.total == 0:
            raise RefusedValue("sample", "give an epoch at least one line", f"{show(sample)}, for none")

    @property
    def total(self) -> int:
        """The lines of an epoch, drawn and kept."""
        return sum(file.drawn + file.kept for file in self.files)

    @property
    def unmatched(self) -> tuple[str, ...]:
        """The names of the files that no rule covers, and that are left out therefore."""
        return tuple(file.name for file in self.files if self.has_rules and file.rule is None)

    def table(self) -> pd.DataFrame:
        """Return the plan as a table, one row a file.

        Returns
        -------
        pandas.DataFrame
            ``file``, ``lines``, ``rule`` (its number from 1, NaN where there is none), ``uniform_share`` and ``share``
            (from 0 to 1), ``drawn`` and ``kept`` (lines of an epoch).
        """
        return pd.DataFrame(
            {
                "file": np.array([file.name for file in self.files], dtype=object),
                "lines": np.array([file.lines for file in self.files], dtype=np.int64),
                "rule": np.array([np.nan if file.rule is None else file.rule.number for file in self.files]),
                "uniform_share": np.array([float(file.uniform_share) for file in self.files]),
                "share": np.array([float(file.share) for file in self.files]),
                "drawn": np.array([file.drawn for file in self.files], dtype=np.int64),
                "kept": np.array([file.kept for file in self.files], dtype=np.int64),
            }
        )

    def summary(self) -> str:
        """Return the plan as text: a row a file, totals, and the files that no rule covers.

        Of a name that is not in the file system's encoding, the bytes that are not are shown as ``\\xe9``.
        """
        head = ("file", "lines", "rule", "uniform", "share", "drawn", "kept")
        rows = [head]
        for file in self.files:
            number = "-" if file.rule is None else str(file.rule.number)
            shares = (f"{100 * float(file.uniform_share):.2f} %", f"{100 * float(file.share):.2f} %")
            rows.append((shown_name(file.name), str(file.lines), number, *shares, str(file.drawn), str(file.kept)))
        totals = [sum(getattr(file, column) for file in self.files) for column in ("lines", "drawn", "kept")]
        rows.append(("total", str(totals[0]), "", "", "", str(totals[1]), str(totals[2])))
        widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
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
        raise RefusedType("lines", "be a vector of the numbers of lines", show(lines))
    if len(found) != n_files:
        raise RefusedValue("lines", f"have one number for each of the names, {n_files}", show(found))
    return [check_integer(count, "lines", minimum=0, maximum=MAX_EXACT) for count in found.tolist()]


def shown_name(name: str) -> str:
    """Return the name of a file as text that any output takes: its bytes that are no characters as ``\\xe9``."""
    return os.fsencode(name).decode(sys.getfilesystemencoding(), "backslashreplace")


def _requested(sample: Any, others: int, kept: int) -> Fraction:
    """Return how many lines are to be drawn."""
    required = "be a share between 0 and 1, or a number of lines: an integer from 1"
    if not is_number(sample):
        raise RefusedType("sample", required, show(sample))
    if not isinstance(sample, numbers.Integral):
        number = as_double(sample)
        if 0 < number < 1:
            return Fraction(str(sample)) * others
        # 1.0, all lines or one line, would be shown as 1, which is allowed.
        advice = f"A number of lines is written {number:.0f}, in R {number:.0f}L." if number.is_integer() else None
        raise RefusedValue("sample", required, f"the floating-point number {number!r}", advice)
    if not 1 <= int(sample) <= MAX_EXACT:
        raise RefusedValue("sample", required, show(sample))
    if sample < kept:
        required = f"be at least {kept}, the lines that rules keep"
        raise RefusedValue("sample", required, show(sample))
    return Fraction(int(sample) - kept)


def _shares(covering: Sequence[Optional[Rule]], lines: Sequence[int]) -> list[Fraction]:
    """Return each file's share of the lines to draw, 0 where no rule with a weight covers it."""
    lines_of: dict[int, int] = {}
    weights: dict[int, Fraction] = {}
    for rule, count in zip(covering, lines):
        if rule is not None and rule.weight is not None and count > 0:
            lines_of[rule.number] = lines_of.get(rule.number, 0) + count
            weights[rule.number] = rule.weight
    total = sum(weights.values(), Fraction(0))
    shares = []
    for rule, count in zip(covering, lines):
        if rule is None or rule.number not in weights or count == 0:
            shares.append(Fraction(0))
        else:
            shares.append(weights[rule.number] / total * Fraction(count, lines_of[rule.number]))
    return shares
