"""Each sampler has the same parameters in both languages."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any

from tests.test_docs import ROOT


def r_parameters() -> dict[str, set[str]]:
    """Return the parameters of the functions of R, from the usage in their help pages."""
    found = {}
    for path in ROOT.glob("rbridge/r/man/*.Rd"):
        usage = re.search(r"(?ms)^\\usage{\n(.*?)\n}$", path.read_text(encoding="utf-8"))
        for name, given in re.findall(r"(?ms)^(\w+)\((.*?)\)(?=\n\n|\Z)", usage[1] if usage else ""):
            arguments = re.findall(r"([\w.]+)(?: = (?:[^,()]|\([^()]*\))+)?(?:,|\s*$)", given)
            found[name] = set(arguments) - {"..."}
    return found


def test_each_sampler_has_the_same_parameters_in_both_languages(modules_of_tool: Any) -> None:
    names, r = modules_of_tool("site")("names"), r_parameters()
    called = {entry.r: entry.python for entry in names.entries(ROOT)}
    samplers = {name for name in r if name.startswith("batch_sampler_")}
    samplers -= {"batch_sampler_python", "batch_sampler_by_length"}  # around others, which have the seed
    assert {"batch_sampler_stratified", "batch_sampler_tree"} < samplers
    for name in samplers | {"stratified_stream"}:
        module, _, short = called[name].rpartition(".")
        made = getattr(import_module(module), short)
        parameters = set(inspect.signature(made).parameters)
        assert parameters - {"rank"} == r[name] - {"rank"}, name
        assert "seed" in parameters and ("num_replicas" in parameters) != ("shards" in parameters), name
