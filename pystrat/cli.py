"""The command line: ``pystrat plan``, ``batches``, ``advise``, ``tree`` and ``corpus plan``."""

from __future__ import annotations

import argparse
import os
import re
import sys
import unicodedata
import warnings
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from pystrat.base import BatchSampler
from pystrat.lazy_pandas import pd
from pystrat.messages import show
from pystrat.plan import ASSIGN_CHOICES
from pystrat.strata import by_value, encode_strata
from pystrat.stratified.sampler import DROP_CHOICES, MISSING_CHOICES, RARE_CHOICES, StratifiedBatchSampler
from pystrat.tables import read_table

_MISSING_HELP = "what to do with rows that have a missing value"


_ARGUMENTS = ("run", "file", "out", "plot", "spec", "table", "source")  # without a parameter of this name
_RENAMED = {"shuffle": "--no-shuffle", "suffixes": "--suffix", "length": "--draw"}
_BEFORE_PARAMETERS = "[Ss]et|[Gg]ive|[Rr]aise|[Ll]ower|[Ll]eave out|with|if|or|too, and|pass"


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command line, and return the exit status.

    It is 0, or 2 after an error, which is printed on one line, or 1 if a program that reads the output, such as
    ``head``, has stopped.

    Parameters
    ----------
    arguments : sequence of str, optional
        The arguments after the name of the program. Default: those of the process.
    """
    return run(_parser(), arguments)


def run(parser: argparse.ArgumentParser, arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command of the arguments; return the exit status as `main` does."""
    options = parser.parse_args(arguments)
    try:
        options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        with open(os.devnull, "w", encoding="utf-8") as nothing:
            os.dup2(nothing.fileno(), sys.stdout.fileno())  # else Python reports it again at the end
        return 1
    except (OSError, ValueError, TypeError, ImportError, RuntimeError) as error:
        text = _naming_options(" ".join(str(error).split()), options)
        print(_printable(f"{parser.prog}: {text}"), file=sys.stderr)
        return 2
    return 0


def _naming_options(text: str, options: argparse.Namespace) -> str:
    """Return a message with the names of options instead of those of parameters."""
    named = {name: f"--{name.replace('_', '-')}" for name in vars(options) if name not in _ARGUMENTS}
    named.update({name: option for name, option in _RENAMED.items() if option[2:].replace("-", "_") in named})
    text = re.sub(r"^The '(\w+)' parameter", lambda found: _as_option(found[0], found[1], named), text)
    # After some words, a name in quotes is that of a parameter; after "to", and elsewhere, it is a value.
    names = rf"to '\w+'(?: or '\w+')?|(?:{_BEFORE_PARAMETERS}) '(\w+)'"
    return re.sub(names, lambda found: _as_option(found[0], found[1], named), text)


def _as_option(words: str, name: Optional[str], named: Mapping[str, str]) -> str:
    if name is None or name not in named:
        return words
    return words.replace(f"'{name}'", f"'{named[name]}'").replace(" parameter", " option")


# The commands ---------------------------------------------------------------------------------------------------------


def _run_plan(options: argparse.Namespace) -> None:
    if options.plot is not None:
        check_output(options.plot, options.file, option="--plot")
    sampler = sampler_of(options)
    print(_printable(sampler.plan.summary()))
    if options.plot is not None:
        from pystrat.report import plot_plan

        axis = plot_plan(sampler.plan)
        axis.figure.savefig(options.plot, dpi=120)
        print(f"Saved the plot to {options.plot}.")


def _run_batches(options: argparse.Namespace) -> None:
    check_output(options.out, options.file)
    sampler = sampler_of(options)
    batches = sampler.batches(options.epoch)
    batch = np.repeat(np.arange(1, len(batches) + 1), np.diff(batches.offsets))
    pd.DataFrame({"batch": batch, "row": batches.rows + 1}).to_csv(options.out, index=False)
    print(f"Wrote {len(batches)} batches with {len(batches.rows)} rows to {options.out}, seed {sampler.seed}.")


def _run_tree(options: argparse.Namespace) -> None:
    from pystrat.tree import TreeSampler

    table, length = _table_of(options, options.table), 1 if options.draw is None else options.draw
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the description includes them
        sampler = TreeSampler(table, options.spec, length=length, seed=options.seed)
    description = sampler.describe()
    print(_printable(str(description)))
    drawn = sampler.batches(0).rows if options.draw is not None else None
    print(_printable(description.frequencies(drawn).to_string(index=False, float_format="%.4f")))
    if drawn is not None:
        distinct = len(np.unique(drawn))
        print(f"{len(drawn)} draws, {distinct} different rows, seed {sampler.seed}.")


def _run_corpus_plan(options: argparse.Namespace) -> None:
    from pystrat.corpus import CorpusMixtureBatchSampler

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the plan shows which files are left out
        mixture = CorpusMixtureBatchSampler(
            options.source if options.targets is not None or len(options.source) > 1 else options.source[0],
            1,
            suffixes=options.suffix,
            targets=options.targets,
            sample=options.sample,
            rules=options.rules,
            weights=options.weights,
            temperature=options.temperature,
            cap=options.cap,
            epoch_end=options.epoch_end,
            max_length=options.max_length,
        )
    print(_printable(mixture.plan.summary()))


def _run_advise(options: argparse.Namespace) -> None:
    from pystrat.advice import advise

    strata = _columns_of(_table_of(options, options.file), options.strata, "strata")
    minimum = options.min_samples_per_stratum
    print(_printable(str(advise(strata, options.batch_size, min_samples_per_stratum=minimum, missing=options.missing))))


def sampler_of(options: argparse.Namespace) -> Any:
    """Make a sampler from columns of a file."""
    if options.groups is not None:
        return _group_sampler(options)
    if options.strata_per_batch is not None:
        return _subset_sampler(options)
    _check_left_out({"keep": options.keep}, "unless '--groups' is given")
    strata = _columns_of(_table_of(options, options.file), options.strata, "strata")
    return StratifiedBatchSampler(
        strata,
        _by_value(options.min_samples_per_stratum, strata),
        mean_batch_size=options.mean_batch_size,
        shares=_by_value(options.shares, strata),
        temperature=options.temperature,
        cap=options.cap,
        balance=options.balance,
        drop=options.drop,
        shuffle=not options.no_shuffle,
        seed=options.seed,
        assign=options.assign,
        rare=options.rare,
        missing=options.missing,
        num_replicas=options.num_replicas,
    )


def _by_value(numbers: Any, strata: pd.DataFrame) -> Any:
    """Return numbers by the values of the strata, if they are given by their names."""
    return by_value(numbers, encode_strata(strata, missing="stratum").values) if isinstance(numbers, dict) else numbers


def _group_sampler(options: argparse.Namespace) -> BatchSampler:
    """Make a sampler of strata and groups from columns of a file."""
    from pystrat.stratified.groups import StratifiedGroupBatchSampler

    others = {
        **_others_of_plans(options),
        "balance": options.balance,
        "strata-per-batch": options.strata_per_batch,
    }
    _check_left_out(others, "if '--groups' is given")
    table = _table_of(options, options.file)
    return StratifiedGroupBatchSampler(
        _columns_of(table, options.strata, "strata"),
        options.min_samples_per_stratum,
        groups=_columns_of(table, options.groups, "groups"),
        mean_batch_size=options.mean_batch_size,
        keep=options.keep or "together",
        rare=options.rare,
        missing=options.missing,
        seed=options.seed,
        num_replicas=options.num_replicas,
    )


def _subset_sampler(options: argparse.Namespace) -> BatchSampler:
    """Make a sampler of some strata in each batch from columns of a file."""
    from pystrat.stratified.subset import StrataSubsetBatchSampler

    others = {**_others_of_plans(options), "keep": options.keep}
    _check_left_out(others, "if '--strata-per-batch' is given")
    return StrataSubsetBatchSampler(
        _columns_of(_table_of(options, options.file), options.strata, "strata"),
        options.strata_per_batch,
        options.min_samples_per_stratum,
        mean_batch_size=options.mean_batch_size,
        balance=options.balance,
        rare=options.rare,
        missing=options.missing,
        seed=options.seed,
        num_replicas=options.num_replicas,
    )


def _others_of_plans(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options that only batches with all strata have, None for those that are not given."""
    return {
        "shares": options.shares,
        "temperature": options.temperature,
        "cap": options.cap,
        "drop": options.drop,
        "no-shuffle": options.no_shuffle or None,
        "assign": None if options.assign == ASSIGN_CHOICES[0] else options.assign,
    }


def _check_left_out(options: dict[str, Any], condition: str) -> None:
    """Refuse options that are given although they have no effect."""
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"The '--{name}' option must be left out {condition}. Got {show(value)} instead.")


def _table_of(options: argparse.Namespace, path: Path) -> pd.DataFrame:
    """Read a table as the options say."""
    return read_table(path, na_values=options.na_values, delimiter=options.delimiter)


def _columns_of(table: pd.DataFrame, columns: list[str], parameter: str) -> pd.DataFrame:
    """Return columns of a table."""
    unknown = [column for column in columns if column not in table.columns]
    if unknown:
        known = ", ".join(f"'{column}'" for column in table.columns[:10])
        more = ", ..." if len(table.columns) > 10 else ""
        raise ValueError(
            f"The '--{parameter}' option must name columns of the file. Got '{unknown[0]}' instead. "
            f"The file has {known}{more}."
        )
    return table[columns]


def check_output(out: Path, *inputs: Path, option: str = "--out") -> None:
    """Refuse an output that would overwrite an input."""
    for path in inputs:
        if out.exists() and path.exists() and out.samefile(path):
            required = "must not be a file that is read"
            raise ValueError(f"The '{option}' option {required}. Got '{out}' instead.")


def _printable(text: str) -> str:
    """Escape control characters: names in a file may contain them, and a terminal would execute them."""
    return "".join(char if char == "\n" or unicodedata.category(char) != "Cc" else ascii(char)[1:-1] for char in text)


# The options ----------------------------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pystrat",
        description="Batch sampling for deep learning on imbalanced data, with the same batches in Python and R.",
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    plan = sampler_command(commands, "plan", "print the number of batches and what each batch holds", _run_plan)
    plan.add_argument("--plot", type=Path, metavar="IMAGE", help="also save a plot of the plan, such as plan.png")
    batches = sampler_command(
        commands, "batches", "write the batches of an epoch to a CSV file, counted from 1", _run_batches
    )
    batches.add_argument("--epoch", type=int, default=0, help="the number of the epoch, from 0 (default: %(default)s)")
    batches.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help="the output file, with the columns batch and row, both counted from 1 as in R",
    )
    _add_advise(commands)
    _add_tree(commands)
    _add_corpus(commands)
    return parser


def sampler_command(commands: Any, name: str, help_text: str, run: Any) -> argparse.ArgumentParser:
    """Add a command that makes a sampler from a file."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=help_text, description=help_text[0].upper() + help_text[1:] + "."
    )
    parser.set_defaults(run=run)
    _add_table(parser)
    parser.add_argument(
        "--groups",
        type=lambda text: text.split(","),
        metavar="COLUMN[,COLUMN...]",
        help="the columns whose combinations are groups, such as patients, which --keep keeps together or apart",
    )
    parser.add_argument(
        "--keep", metavar="together|apart", help="what to do with the rows of a group (default: together)"
    )
    parser.add_argument(
        "--strata-per-batch",
        type=int,
        metavar="P",
        help="put P of the strata into each batch, with -m rows of each or --mean-batch-size, as for metric learning",
    )
    _add_sizes(parser)
    parser.add_argument("--seed", type=int, help="from 0 to 2147483646 (default: random)")
    parser.add_argument("--no-shuffle", action="store_true", help="keep the file's order within each stratum")
    _add_choice(parser, "--assign", ASSIGN_CHOICES, "how rows are assigned to batches")
    _add_choice(parser, "--rare", RARE_CHOICES, "what to do if a stratum has too few rows")
    _add_choice(parser, "--missing", MISSING_CHOICES, _MISSING_HELP)
    parser.add_argument("--num-replicas", type=int, metavar="R", help="make the number of batches a multiple of R")
    return parser


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="a table: CSV (may be compressed), Stata or, with pyarrow, Parquet or Feather",
    )
    _add_reading(parser)
    parser.add_argument(
        "--strata",
        type=lambda text: text.split(","),
        required=True,
        metavar="COLUMN[,COLUMN...]",
        help="the columns whose combinations are the strata",
    )


def _add_reading(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--na-values",
        type=lambda text: text.split(","),
        metavar="FIELD[,FIELD...]",
        help="the fields of a CSV file that are missing (default: empty ones, NA, NaN, null and others, as in pandas)",
    )
    parser.add_argument(
        "--delimiter",
        type=lambda text: text.replace("\\t", "\t"),
        default=",",
        metavar="CHARACTER",
        help="the character between the fields of a CSV file, such as ';' or '\\t' (default: %(default)s)",
    )


def _add_sizes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-m",
        "--min-samples-per-stratum",
        type=_minimum,
        action=_ByStratum,
        metavar="M",
        help="minimum rows of every stratum in every batch; or STRATUM=M, repeated for each stratum with a minimum",
    )
    parser.add_argument(
        "--mean-batch-size", type=int, metavar="SIZE", help="mean number of rows per batch, instead of a minimum"
    )
    parser.add_argument(
        "--shares",
        type=_named_number,
        action=_ByStratum,
        metavar="STRATUM=SHARE",
        help="share of a stratum in every batch, repeated for each stratum; requires --mean-batch-size",
    )
    parser.add_argument(
        "--temperature",
        type=_number,
        metavar="T",
        help="shares of rows^(1/T) of each stratum in every batch; requires --mean-batch-size",
    )
    parser.add_argument(
        "--cap",
        type=_number,
        metavar="ROWS",
        help="the rows as which a larger stratum counts, also before --temperature",
    )
    parser.add_argument(
        "--balance",
        type=lambda text: int(text) if text.isascii() and text.isdigit() else text,
        metavar="over|under|mean|ROWS",
        help="take the same number of rows from every stratum; requires --mean-batch-size, or --strata-per-batch, "
        "which also takes mean",
    )
    parser.add_argument(
        "--drop", choices=DROP_CHOICES, help="make all batches the same size; requires --mean-batch-size"
    )


class _ByStratum(argparse.Action):
    """Collect numbers by stratum from repeated options, or one number for all strata."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        known = getattr(namespace, self.dest)
        if isinstance(values, tuple) and isinstance(known, (dict, type(None))):
            if values[0] in (known or {}):
                parser.error(f"argument {option_string}: must name each stratum once. Got '{values[0]}' twice instead.")
            values = {**(known or {}), values[0]: values[1]}
        elif known is not None:
            parser.error(f"argument {option_string}: must be one number, or STRATUM=NUMBER for each stratum.")
        setattr(namespace, self.dest, values)


def _minimum(text: str) -> Union[int, tuple[str, Union[int, float]]]:
    """Read a number of rows, or ``STRATUM=NUMBER``."""
    if "=" in text:
        return _named_number(text)
    try:
        return int(text)
    except ValueError:
        message = f"must be an integer, or STRATUM=NUMBER. Got '{text}' instead."
        raise argparse.ArgumentTypeError(message) from None


def _named_number(text: str) -> tuple[str, Union[int, float]]:
    """Read ``STRATUM=NUMBER``. The name of the stratum may contain ``=``."""
    name, equals, number = text.rpartition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"must be STRATUM=NUMBER, such as positive=3. Got '{text}' instead.")
    return name, _number(number)


def _add_choice(parser: argparse.ArgumentParser, name: str, choices: Sequence[str], help_text: str) -> None:
    parser.add_argument(name, choices=choices, default=choices[0], help=f"{help_text} (default: %(default)s)")


def _add_advise(commands: Any) -> None:
    advise = commands.add_parser(
        "advise",
        help="print which sampler a batch size needs",
        description="Print what plain batches hold, what a minimum costs, and which sampler fits, without training.",
    )
    advise.set_defaults(run=_run_advise)
    _add_table(advise)
    advise.add_argument("--batch-size", type=int, required=True, metavar="SIZE", help="the number of rows in a batch")
    advise.add_argument(
        "-m",
        "--min-samples-per-stratum",
        type=int,
        default=1,
        metavar="M",
        help="the rows of every stratum that the loss needs in a batch (default: %(default)s)",
    )
    _add_choice(advise, "--missing", MISSING_CHOICES, _MISSING_HELP)


def _add_tree(commands: Any) -> None:
    tree = commands.add_parser(
        "tree",
        help="print how a declared tree draws from a table",
        description="Print the tree that a specification declares for a table: the rows, weights and probabilities of "
        "its nodes, and the expected frequencies.",
    )
    tree.add_argument("spec", metavar="SPEC", help="the specification, a .yaml or .yml file")
    tree.add_argument("table", type=Path, metavar="TABLE", help="the table, in a format of the other commands")
    _add_reading(tree)
    tree.add_argument("--draw", type=int, metavar="N", help="also draw N rows and print their frequencies")
    tree.add_argument("--seed", type=int, help="from 0 to 2147483646 (default: random)")
    tree.set_defaults(run=_run_tree)


def _add_corpus(commands: Any) -> None:
    from pystrat.corpus.plan import EPOCH_ENDS

    corpus = commands.add_parser("corpus", help="mix the files of a corpus", description="Mix the files of a corpus.")
    plan = corpus.add_subparsers(title="commands", required=True, metavar="COMMAND").add_parser(
        "plan",
        help="print how many lines an epoch draws from each file",
        description="Print how many lines an epoch draws from each file, without drawing: a dry run of the rules.",
    )
    plan.set_defaults(run=_run_corpus_plan)
    plan.add_argument(
        "source",
        type=Path,
        nargs="+",
        metavar="SOURCE",
        help="the folder of the files, or files with the first suffix; with --targets, files with any names",
    )
    plan.add_argument(
        "--targets", type=Path, nargs="+", metavar="FILE", help="the partner of each source file, in the same order"
    )
    plan.add_argument(
        "--suffix",
        type=lambda text: text.split(","),
        default=[".src", ".tgt"],
        metavar="SUFFIX[,SUFFIX...]",
        help="the suffixes of files that are parallel line by line (default: .src,.tgt)",
    )
    plan.add_argument(
        "--max-length",
        type=_limits,
        metavar="WORDS[,WORDS...]",
        help="leave out lines of more words; with several numbers, a limit for each suffix, such as 80,120",
    )
    plan.add_argument("--rules", type=Path, metavar="FILE", help="the rules, one per line: PATTERN WEIGHT")
    plan.add_argument(
        "--weights",
        type=lambda text: [weight if weight == "*" else _number(weight) for weight in text.split(",")],
        metavar="WEIGHT[,WEIGHT...]",
        help="the weight of each file, in order, instead of rules; 0 leaves a file out, * keeps all its lines",
    )
    plan.add_argument(
        "--temperature",
        type=_number,
        metavar="T",
        help="weights of lines^(1/T), instead of rules or weights; at T = 1, proportional to lines",
    )
    plan.add_argument(
        "--cap",
        type=_number,
        metavar="LINES",
        help="the lines as which a larger file counts, also before --temperature",
    )
    plan.add_argument(
        "--sample",
        type=_number,
        metavar="SAMPLE",
        help="lines per epoch, such as 100000, or a share of the lines that are not kept, such as 0.1",
    )
    plan.add_argument(
        "--epoch-end",
        choices=EPOCH_ENDS,
        default=EPOCH_ENDS[0],
        help="what ends an epoch: a sample, the first file whose lines were all drawn, or the last one "
        "(default: %(default)s)",
    )


def _limits(text: str) -> Union[int, list[int]]:
    """Read one number of words, or several with commas between them."""
    try:
        limits = [int(part) for part in text.split(",")]
    except ValueError:
        message = f"must be one integer, or several such as 80,120. Got '{text}' instead."
        raise argparse.ArgumentTypeError(message) from None
    return limits if len(limits) > 1 else limits[0]


def _number(text: str) -> Union[int, float]:
    """Read an integer as an int, and any other number as a float."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, such as 100000 or 0.1. Got '{text}' instead.") from None
