"""The command line: ``pystrat plan``, ``batches``, ``advise``, ``tree`` and ``corpus plan``.

The options are the parameters of constructors, with the first sentence of what their docstrings say.
"""

from __future__ import annotations

import argparse
import inspect
import os
import re
import sys
import unicodedata
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Iterable, Optional, Sequence

import numpy as np

from pystrat.reports.advice import advise
from pystrat.corpus.mixture import CorpusMixtureBatchSampler
from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import count_of, refused_value
from pystrat.core.strata import encode_strata
from pystrat.core.value_names import Names
from pystrat.stratified.ranged import StrataSubsetBatchSampler, StratifiedGroupBatchSampler
from pystrat.stratified.sampler import StratifiedBatchSampler
from pystrat.tree import TreeSampler

SAMPLERS = (StratifiedBatchSampler, StratifiedGroupBatchSampler, StrataSubsetBatchSampler)
READERS = {".dta": "read_stata", ".parquet": "read_parquet", ".feather": "read_feather"}


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command line, by default with the arguments of the process.

    The exit status is 0; 2 after an error, which is printed on one line; or 1 if a program that reads the output, such
    as ``head``, has stopped.
    """
    parser = argparse.ArgumentParser(
        prog="pystrat",
        description="Batch sampling for deep learning on imbalanced data, with the same batches in Python and R.",
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    plan = sampler_command(commands, "plan", "print the number of batches and what each batch holds", _plan)
    plan.add_argument("--plot", type=Path, metavar="IMAGE", help="also save a plot of the plan, such as plan.png")
    batches = sampler_command(commands, "batches", "write the batches of an epoch to a CSV file", _batches)
    batches.add_argument("--epoch", type=int, default=0, help="the number of the epoch, from 0")
    batches.add_argument("--out", type=Path, required=True, metavar="FILE", help="with columns batch and row, from 1")
    advice = _command(commands, "advise", "print which sampler a batch size needs", _advise)
    _add_file(advice)
    _add_parameters(advice, [advise])
    tree = _command(commands, "tree", "print how a declared tree draws from a table", _tree)
    tree.add_argument("spec", metavar="SPEC", help="the specification, a .yaml or .yml file")
    _add_file(tree)
    tree.add_argument("--draw", dest="length", type=int, metavar="N", help="draw N rows and print their frequencies")
    tree.add_argument("--seed", type=int, help="from 0 to 2147483646")
    corpus = commands.add_parser("corpus", help="mix the files of a corpus")
    corpus_commands = corpus.add_subparsers(title="commands", required=True, metavar="COMMAND")
    mixture = _command(corpus_commands, "plan", "print how many lines an epoch draws from each file", _corpus_plan)
    mixture.add_argument("source", nargs="+", metavar="SOURCE", help="the folder of the files, or the files")
    mixture.add_argument("--targets", nargs="+", metavar="FILE", help="the partner of each file", default=None)
    mixture.add_argument("--rules", metavar="FILE", help="the rules, one per line: PATTERN WEIGHT", default=None)
    names = ["suffixes", "max_length", "weights", "temperature", "cap", "sample", "epoch_end"]
    _add_parameters(mixture, [CorpusMixtureBatchSampler], only=names)
    return run(parser, arguments)


def run(parser: argparse.ArgumentParser, arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command of the arguments; return the exit status as `main` does."""
    options = vars(parser.parse_args(arguments))
    try:
        options.pop("run")(options)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python reports it again at the end
        return 1
    except (OSError, ValueError, TypeError, ImportError, RuntimeError) as error:
        text = " ".join(str(error).split())
        named = re.match(r"The '(\w+)' parameter(?= must)", text)
        if named is not None:
            text = f"The '--{named[1].replace('_', '-')}' option{text[named.end():]}"
        print(_printable(f"{parser.prog}: {text}"), file=sys.stderr)
        return 2
    return 0


def _printable(text: str) -> str:
    """Escape control characters: names in a file may contain them, and a terminal would execute them."""
    return "".join(char if char == "\n" or unicodedata.category(char) != "Cc" else ascii(char)[1:-1] for char in text)


# The commands ---------------------------------------------------------------------------------------------------------


def _plan(options: dict[str, Any]) -> None:
    picture = options.pop("plot", None)
    plan = sampler_of(options, picture).plan
    print(_printable(plan.summary()))
    if picture is not None:
        from pystrat.reports.batch_counts import plot_plan

        plot_plan(plan).figure.savefig(picture, dpi=120)
        print(f"Saved the plot to {picture}.")


def _batches(options: dict[str, Any]) -> None:
    epoch, out = options.pop("epoch"), options.pop("out")
    sampler = sampler_of(options, out)
    batches = sampler.batches(epoch)
    batch = np.repeat(np.arange(1, len(batches) + 1), np.diff(batches.offsets))
    pd.DataFrame({"batch": batch, "row": batches.rows + 1}).to_csv(out, index=False)
    print(f"Wrote {len(batches)} batches with {len(batches.rows)} rows to {out}, seed {sampler.seed}.")


def _advise(options: dict[str, Any]) -> None:
    strata = _columns_of(_read_table(options), options.pop("strata"), "strata")
    print(_printable(str(advise(strata, **options))))


def _tree(options: dict[str, Any]) -> None:
    length = options.pop("length", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the description includes them
        sampler = TreeSampler(_read_table(options), length=1 if length is None else length, **options)
    description = sampler.describe()
    drawn = None if length is None else sampler.batches(0).rows
    print(_printable(str(description)))
    print(_printable(description.frequencies(drawn).to_string(index=False, float_format="%.4f")))
    if drawn is not None:
        print(f"{len(drawn)} draws, {len(np.unique(drawn))} different rows, seed {sampler.seed}.")


def _corpus_plan(options: dict[str, Any]) -> None:
    source = options.pop("source")
    if options["targets"] is None and len(source) == 1:
        source = source[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the plan shows which files are left out
        plan = CorpusMixtureBatchSampler(source, 1, **options).plan()
    print(_printable(plan.to_string(index=False, float_format="%.4f")))
    print(f"An epoch has {count_of(plan['drawn'].sum() + plan['kept'].sum(), 'line')}.")


def sampler_of(options: dict[str, Any], output: Optional[Path] = None) -> Any:
    """Make a sampler from the options of `sampler_command`, whose file must not be the output."""
    if output is not None and output.resolve() == options["file"].resolve():
        raise ValueError(f"The output must not be the file that is read. Got '{output}' twice instead.")
    deciding = {"groups": StratifiedGroupBatchSampler, "strata_per_batch": StrataSubsetBatchSampler}
    made = next((deciding[name] for name in deciding if name in options), StratifiedBatchSampler)
    table = _read_table(options)
    for name in ("strata", "groups"):
        if name in options:
            options[name] = _columns_of(table, options[name], name)
    for name, value in options.items():
        if name not in inspect.signature(made).parameters:
            raise ValueError(f"The '--{name.replace('_', '-')}' option is not one of a {made.__name__}. Leave it out.")
        if name in ("min_samples_per_stratum", "shares"):
            options[name] = _by_stratum(value, options["strata"], name)
    return made(**options)


def _by_stratum(texts: list[str], strata: pd.DataFrame, name: str) -> Any:
    """Return numbers by the value of the stratum, from repeated options, or one number for all strata."""
    pairs = [text.rpartition("=") for text in texts]  # the name of a stratum may contain "="
    numbers = {shown: _value(number) for shown, equals, number in pairs if equals}
    if len(texts) == 1 and not numbers:
        return _value(texts[0])
    if len(numbers) < len(texts):
        raise refused_value(name, "be one number, or STRATUM=NUMBER once for each stratum", " ".join(texts))
    values = encode_strata(strata, missing="stratum").values
    counts = Counter(Names(values))  # the sampler refuses a name of no stratum, or of several
    known = {shown: value for shown, value in zip(Names(values), values) if counts[shown] == 1}
    return {known.get(shown, shown): number for shown, number in numbers.items()}


def _read_table(options: dict[str, Any]) -> pd.DataFrame:
    """Read the file of the options, as pandas does."""
    path, na_values, delimiter = (options.pop(name) for name in ("file", "na_values", "delimiter"))
    if path.suffix in READERS:
        return getattr(pd, READERS[path.suffix])(path)
    return pd.read_csv(path, sep=delimiter, na_values=na_values, keep_default_na=na_values is None, low_memory=False)


def _columns_of(table: pd.DataFrame, columns: list[str], name: str) -> pd.DataFrame:
    unknown = [column for column in columns if column not in table.columns]
    if unknown:
        known = ", ".join(f"'{column}'" for column in table.columns[:10])
        required = f"The '--{name}' option must name columns of the file"
        raise ValueError(f"{required}. Got '{unknown[0]}' instead. The first columns of the file are {known}.")
    return table[columns]


# The options ----------------------------------------------------------------------------------------------------------


def _command(commands: Any, name: str, does: str, action: Callable[..., None]) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=does, description=f"{does.capitalize()}.", argument_default=argparse.SUPPRESS
    )
    parser.set_defaults(run=action)
    return parser


def sampler_command(commands: Any, name: str, does: str, action: Callable[..., None]) -> argparse.ArgumentParser:
    """Add a command that makes a sampler from a file."""
    parser = _command(commands, name, does, action)
    _add_file(parser)
    _add_parameters(parser, SAMPLERS)
    return parser


def _add_file(parser: argparse.ArgumentParser) -> None:
    kinds = "CSV (may be compressed), Stata or, with pyarrow, Parquet or Feather"
    parser.add_argument("file", type=Path, metavar="FILE", help=f"a table: {kinds}")
    missing = "the fields of a CSV file that are missing, instead of those of pandas"
    parser.add_argument("--na-values", type=_names, metavar="FIELD[,FIELD...]", default=None, help=missing)
    parser.add_argument(
        "--delimiter", metavar="TEXT", default=",", help="between the fields of a CSV file, such as ';'"
    )


def _add_parameters(
    parser: argparse.ArgumentParser, functions: Iterable[Callable[..., Any]], only: Optional[Sequence[str]] = None
) -> None:
    """Add an option for each parameter of functions, except `rank`; what is not given is left to the function."""
    added = {"rank"}
    for function in functions:
        for name, parameter in inspect.signature(function).parameters.items():
            if name in added or (only is not None and name not in only):
                continue
            added.add(name)
            flag, about = f"--{name.replace('_', '-')}", _first_sentence(function, name)
            flags = ["-m", flag] if name == "min_samples_per_stratum" else [flag]
            if name in ("strata", "groups"):
                columns = f"the columns whose combinations are the {name}"
                given: dict[str, Any] = {"type": _names, "metavar": "COLUMN[,COLUMN...]", "help": columns}
                parser.add_argument(flag, required=name == "strata", **given)
            elif parameter.default is True:
                parser.add_argument(f"--no-{flag[2:]}", dest=name, action="store_false", help=f"not: {about}")
            elif parameter.default is False:
                parser.add_argument(flag, action="store_true", help=about)
            elif "Mapping[Any" in str(parameter.annotation):
                parser.add_argument(*flags, action="append", metavar="[STRATUM=]NUMBER", help=about)
            else:
                required = parameter.default is parameter.empty and functions == [function]
                read = {"suffixes": _names, "weights": _values}.get(name, _value)
                parser.add_argument(*flags, type=read, required=required, metavar="VALUE", help=about)


def _first_sentence(function: Callable[..., Any], name: str) -> str:
    """Return what a docstring says first about a parameter, and its type."""
    found = re.search(rf"^{name} : (.*)\n((?:    .*\n)+)", inspect.getdoc(function) or "", re.MULTILINE)
    if found is None:
        return ""
    text = " ".join(found[2].split()).split(". ")[0].rstrip(".")
    return f"{text} ({found[1]})".replace("`", "").replace("%", "%%")


def _names(text: str) -> list[str]:
    return text.split(",")


def _values(text: str) -> list[Any]:
    return [_value(part) for part in text.split(",")]


def _value(text: str) -> Any:
    """Read an integer, another number, several with commas between them, or else text."""
    if "," in text:
        return _values(text)
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
