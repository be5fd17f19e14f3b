"""One meaning for a parameter, wherever it occurs: docs/parameters.md is the table of all, with their defaults."""

from __future__ import annotations

from typing import Any

import pytest

REPLACED = {"n", "normalise", "shortfall", "promise", "walk", "local_strata", "loader_or_sampler"}  # see CHANGELOG.md
HAND_WRITTEN = """
| parameter | meaning | default |
| --- | --- | --- |
| `n_rows` | the number of rows | |
| `rare` | what to do | |

## Constructors

| constructor | `batch_size` |
"""


@pytest.fixture(name="tool")
def _tool(modules_of_tool: Any) -> Any:
    return modules_of_tool("site")("parameters")


def test_the_table_has_all_parameters_of_both_packages_with_their_defaults(tool: Any) -> None:
    document = tool.DOCUMENT.read_text(encoding="utf-8")
    updated = tool.updated(document, tool.python_signatures(), tool.r_signatures())
    assert document == updated, "a parameter, a default or a sampler has changed: run `make document`"


def test_old_names_of_parameters_are_gone(tool: Any) -> None:
    assert not REPLACED & set().union(*tool.python_signatures().values(), *tool.r_signatures().values())


def test_each_sampler_has_the_same_parameters_in_both_languages(tool: Any, modules_of_tool: Any) -> None:
    names, python, r = modules_of_tool("site")("names"), tool.python_signatures(), tool.r_signatures()
    called = {entry.r: names.short(entry.python) for entry in names.entries(tool.ROOT)}
    samplers = {name for name in r if name.startswith("batch_sampler_")} - {"batch_sampler_python"}
    assert {"batch_sampler_stratified", "batch_sampler_tree"} < samplers
    for name in samplers | {"stratified_stream"}:
        parameters = set(python[called[name]])
        assert parameters - {"rank"} == set(r[name]) - {"rank"}, name
        assert "seed" in parameters and ("num_replicas" in parameters) != ("shards" in parameters), name


def test_only_the_meaning_of_a_parameter_is_written_by_hand(tool: Any) -> None:
    python = {name: {} for name in tool.python_signatures()}
    python["UniformBatchSampler"] = {"n_rows": "required", "rare": "15.0", "seed": "None"}
    r = {"one": {"n_rows": "None"}, "other": {"rare": "15"}}
    meaning = HAND_WRITTEN.replace("| `rare`", "| `seed` | the seed | |\n| `rare`")
    written = tool.updated(meaning, python, r)
    assert "| `n_rows` | the number of rows | required, `None` |\n" in written
    assert "| `rare` | what to do | `15.0` |\n" in written
    assert "\n| `UniformBatchSampler`, `batch_sampler_uniform()` | | | | yes | | | `n_rows` |\n" in written
    assert tool.updated(written, python, r) == written
    python["other"] = {"rare": "False"}
    assert "| `rare` | what to do | `15.0`, `False` |\n" in tool.updated(written, python, r)
    with pytest.raises(SystemExit, match="add a line with the meaning of seed"):
        tool.updated(HAND_WRITTEN, python, r)
    with pytest.raises(SystemExit, match="no function has capacity"):
        tool.updated(written.replace("| `rare`", "| `capacity` | the most rows | |\n| `rare`"), python, r)
    with pytest.raises(SystemExit, match="two lines have rare"):
        tool.updated(written.replace("| `rare`", "| `rare` | other | |\n| `rare`"), python, r)
