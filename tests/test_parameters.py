"""One meaning for a parameter, wherever it occurs: docs/parameters.md is the table of all, with their defaults."""

from __future__ import annotations

from typing import Any


def test_each_sampler_has_the_same_parameters_in_both_languages_and_the_table_has_all(modules_of_tool: Any) -> None:
    load = modules_of_tool("site")
    tool, names = load("parameters"), load("names")
    python, r = tool.python_signatures(), tool.r_signatures()
    document = tool.DOCUMENT.read_text(encoding="utf-8")
    assert document == tool.updated(document, python, r), "run `make document`"
    called = {entry.r: names.short(entry.python) for entry in names.entries(tool.ROOT)}
    samplers = {name for name in r if name.startswith("batch_sampler_")} - {"batch_sampler_python"}
    assert {"batch_sampler_stratified", "batch_sampler_tree"} < samplers
    for name in samplers | {"stratified_stream"}:
        parameters = set(python[called[name]])
        assert parameters - {"rank"} == set(r[name]) - {"rank"}, name
        assert "seed" in parameters and ("num_replicas" in parameters) != ("shards" in parameters), name
