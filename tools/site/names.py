"""The public names of both languages: which ones are the same thing, and the groups in which the references show them.

Conventions give both. `SmallBatchSampler` is `batch_sampler_small` in R, other classes are in snake case, and functions
have equal names. The group follows from the file. What R calls otherwise is listed here.
"""

from __future__ import annotations

import csv
import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import NamedTuple

import pystrat
import rbridge

# What R calls otherwise.
RENAMED = {
    "AUMLoss": "aum_loss",
    "BatchSampler": "batch_sampler_instance",
    "Batches": "batch_list",
    "BatchesByLength": "batch_sampler_by_length",
    "NegativePairBatchSampler": "batch_sampler_pairs",
    "RareEventBatchSampler": "batch_sampler_rare_events",
    "ShardedStratifiedBatchSampler": "batch_sampler_sharded",
    "TripleBatchSampler": "batch_sampler_triples",
    "as_torch_sampler": "batch_sampler_python",
    "export_r": "read_batch_sampler",
}
# How the files of a group begin: modules of Python with "_" for each dot, and files of R; the first group that fits.
GROUPS = {
    "Strata": r"stratified_|core_plan|reports_advice|data_",
    "Shards": r"sharded_|core_counts_by_shard",
    "Streams": r"stream_",
    "Downsampling": r"downsampling_|corpus_rare_events",
    "Weights": r"weighted_",
    "Pairs": r"pairs_",
    "Trees": r"tree_",
    "Corpora": r"corpus_",
    "Losses and pictures": r"losses|report",
    "All samplers": r"core_|training_|mlr3torch_",
    "Python and R": r"rbridge|base_",
}


class Entry(NamedTuple):
    """A thing with its public names: one may be empty, if the other language has nothing like it."""

    group: str
    python: str
    r: str


def entries(root: Path) -> list[Entry]:
    """Return all public names, group by group; samplers first, then in the order of `__all__`, then what only R has."""
    public, files = python_names(), r_files(root)
    in_r = {name: r_name(name.rpartition(".")[2]) for name in public}
    samplers_first = sorted(public, key=lambda name: not name.endswith("BatchSampler"))
    found = [Entry(group_of(public[name]), name, in_r[name] if in_r[name] in files else "") for name in samplers_first]
    found += [Entry(group_of(file), "", name) for name, file in files.items() if name not in in_r.values()]
    return sorted(found, key=lambda entry: list(GROUPS).index(entry.group))


def r_name(name: str) -> str:
    """Return what R calls a class or a function of Python, if it has it."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return RENAMED.get(name, re.sub(r"^(.+)_batch_sampler$", r"batch_sampler_\1", words))


def group_of(file: str) -> str:
    """Return the group of a file of either language."""
    for group, pattern in GROUPS.items():
        if re.match(pattern, file):
            return group
    raise SystemExit(f"site: no group of names.py fits {file}")


def python_names() -> dict[str, str]:
    """Return the public names of the Python packages, each by the shortest path to it, and the files they come from."""
    found: dict[int, tuple[str, str]] = {}
    for module in public_modules():
        for name in public_names(module):
            value = getattr(module, name)
            file = value.__module__.removeprefix("pystrat.").replace(".", "_")
            found.setdefault(id(value), (f"{module.__name__}.{name}", file))
    return dict(found.values())


def public_modules() -> list[ModuleType]:
    """Return the modules that list their public names, the packages first, and the one that does not."""
    names = [module.name for module in walk_packages(pystrat.__path__, "pystrat.") if module.name != "pystrat.__main__"]
    listing = [module for module in map(import_module, names) if hasattr(module, "__all__")]
    return [pystrat, rbridge, *listing, import_module("pystrat.corpus.vocabulary")]


def public_names(module: ModuleType) -> list[str]:
    """Return `__all__`; of a module without it, what it defines."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    defined = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    return [name for name in defined if not name.startswith("_")]


def r_files(root: Path) -> dict[str, str]:
    """Return the names of the help pages of R, and of all exported functions, and the files they come from."""
    package, found = root / "rbridge" / "r", {}
    exported = set(re.findall(r"(?m)^export\((.*)\)$", (package / "NAMESPACE").read_text(encoding="utf-8")))
    for path in sorted((package / "man").glob("*.Rd")):
        page = path.read_text(encoding="utf-8")
        file = re.findall(r"edit documentation in R/([\w-]+)\.R", page)[0]
        names = re.findall(r"(?m)^\\name{(.*?)}$", page)
        names += exported.intersection(re.findall(r"(?m)^\\alias{(.*?)}$", page)).difference(names)
        found.update(dict.fromkeys(sorted(names), file))
    return found


def write_names(listed: list[Entry], path: Path) -> None:
    """Write a table for scripts in R."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([Entry._fields, *listed])
