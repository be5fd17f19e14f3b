"""One meaning for a parameter, wherever it occurs: docs/parameters.md is the table of all, with their defaults."""

from __future__ import annotations

from typing import Any

import pytest

HAND_WRITTEN = """
| parameter | meaning | default |
| --- | --- | --- |
| `n_rows` | the number of rows | |
| `seed` | the seed | |
| `rare` | what to do | |

## Constructors

| constructor | `batch_size` |
"""


@pytest.fixture(name="tool")
def _tool(modules_of_tool: Any) -> Any:
    return modules_of_tool("site")("parameters")


def test_each_sampler_has_the_same_parameters_in_both_languages_and_the_table_has_all(
    tool: Any, modules_of_tool: Any
) -> None:
    names, python, r = modules_of_tool("site")("names"), tool.python_signatures(), tool.r_signatures()
    document = tool.DOCUMENT.read_text(encoding="utf-8")
    assert document == tool.updated(document, python, r), "run `make document`"
    called = {entry.r: names.short(entry.python) for entry in names.entries(tool.ROOT)}
    samplers = {name for name in r if name.startswith("batch_sampler_")} - {"batch_sampler_python"}
    assert {"batch_sampler_stratified", "batch_sampler_tree"} < samplers
    for name in samplers | {"stratified_stream"}:
        parameters = set(python[called[name]])
        assert parameters - {"rank"} == set(r[name]) - {"rank"}, name
        assert "seed" in parameters and ("num_replicas" in parameters) != ("shards" in parameters), name


def test_only_the_meaning_of_a_parameter_is_written_by_hand(tool: Any) -> None:
    python: dict[str, dict[str, str]] = {name: {} for name in tool.python_signatures()}
    python["UniformBatchSampler"] = {"n_rows": "required", "rare": "15.0", "seed": "None"}
    r = {"one": {"n_rows": "None"}, "other": {"rare": "15"}}
    written = tool.updated(HAND_WRITTEN, python, r)
    assert "| `n_rows` | the number of rows | required, `None` |\n" in written
    assert "| `rare` | what to do | `15.0` |\n" in written
    assert "\n| `UniformBatchSampler`, `batch_sampler_uniform()` | | | | yes | | | `n_rows` |\n" in written
    assert tool.updated(written, python, r) == written
    for changed, refused in (
        (HAND_WRITTEN.replace("| `seed` | the seed | |\n", ""), "add a line with the meaning of seed"),
        (written.replace("| `rare`", "| `capacity` | the most rows | |\n| `rare`"), "no function has capacity"),
        (written.replace("| `rare`", "| `rare` | other | |\n| `rare`"), "two lines have rare"),
    ):
        with pytest.raises(SystemExit, match=refused):
            tool.updated(changed, python, r)
