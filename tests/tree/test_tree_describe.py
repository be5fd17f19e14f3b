"""Descriptions of trees: text, graph, frequencies, and the command line."""

from __future__ import annotations

import warnings
from pathlib import Path

import pandas as pd
import pytest

from pystrat import TreeBatchSampler
from pystrat.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples" / "tree"
TABLE = pd.DataFrame(
    {
        "label": ["active"] * 4 + ["inactive"] * 12,
        "source": ["measured"] * 8 + ["synthetic"] * 6 + ["guessed"] * 2,
        "protein": [f"P{row % 10}" for row in range(16)],
    }
)


def test_the_text_tells_rows_weight_probability_and_rows_left_over() -> None:
    sampler = TreeBatchSampler(TABLE, EXAMPLES / "2-split-majority.yaml", 4, length=8, seed=1)
    assert str(sampler.describe()).splitlines() == [
        "root: 16 rows, replacement, probability 1",
        "  active: 4 rows, replacement, weight 0.3, probability 0.3",
        "  inactive: 12 rows, replacement, weight 0.7, probability 0.7, 2 rows that no child takes",
        "    measured: 4 rows, replacement, weight 0.6, probability 0.42",
        "    synthetic: 6 rows, replacement, weight 0.4, probability 0.28",
    ]


def test_of_many_clones_the_first_few_are_shown() -> None:
    description = TreeBatchSampler(TABLE, EXAMPLES / "4-equal-families.yaml", 4, length=8, seed=1).describe()
    lines = str(description).splitlines()
    assert len(lines) == 7
    assert lines[1] == "  protein[P0]: 2 rows, replacement, probability 0.1"
    assert lines[-1] == "  ... 5 more"
    assert len(description.nodes) == 11
    assert '"5 more"' in description.graphviz()


def test_expected_frequencies_are_those_of_many_draws() -> None:
    for case in ("1-by-class", "2-split-majority", "3-undersampling", "4-equal-families", "6-siamese-pairs"):
        sampler = TreeBatchSampler(TABLE, EXAMPLES / f"{case}.yaml", 8, length=40_000, seed=1)
        description = sampler.describe()
        assert description.row_probabilities().sum() == pytest.approx(1)
        table = description.frequencies(sampler.batches(0).rows)
        assert table["drawn"].to_numpy() == pytest.approx(table["expected"].to_numpy(), abs=0.015)
        for column, part in table.groupby("column"):
            assert part["table"].sum() == pytest.approx(1), column


def test_values_that_occur_nowhere_are_told() -> None:
    spec = {"children": [{"name": "some", "column": "label", "op": "in", "value": ["active", "acitve"]}]}
    description = TreeBatchSampler(TABLE, spec, 4, length=8).describe()
    assert description.warnings == ["Of node 'root/some', 'acitve' occurs nowhere in column 'label'."]
    assert "warning: Of node 'root/some'" in str(description)


def test_graphviz_source_names_every_node_and_edge() -> None:
    source = TreeBatchSampler(TABLE, EXAMPLES / "2-split-majority.yaml", 4, length=8).describe().graphviz()
    assert source.startswith("digraph tree {") and source.endswith("}")
    assert source.count("->") == 4
    quoted = {"label": ['say "x" \\'] * 16}
    spec = {"children": [{"name": "each", "column": "label", "for_each": True}]}
    assert 'each[say \\"x\\" \\\\]' in TreeBatchSampler(quoted, spec, 4, length=8).describe().graphviz()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    TABLE.to_csv(path, index=False)
    return path


def test_the_command_line(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = EXAMPLES / "2-split-majority.yaml"
    assert main(["tree", str(spec), str(file)]) == 0
    printed = capsys.readouterr().out
    assert str(TreeBatchSampler(TABLE, spec, 4, length=8).describe()) in printed
    assert "expected" in printed and "drawn" not in printed
    assert main(["tree", str(EXAMPLES / "1-by-class.yaml"), str(file), "--draw", "1000", "--seed", "1"]) == 0
    printed = capsys.readouterr().out
    assert "drawn" in printed and printed.endswith("1000 draws, 16 different rows, seed 1.\n")
    other = tmp_path / "spec.yaml"
    other.write_text("mode: shuffle\nchildren:\n  - {name: all, weight: 2}\n", encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(["tree", str(other), str(file)]) == 0
    assert capsys.readouterr().out.count("warning: The 'weight' of node 'root/all' has no effect") == 1
    other.write_text("mode: random\n", encoding="utf-8")
    assert main(["tree", str(other), str(file)]) == 2
    assert "The 'mode' parameter of node 'root' must be one of" in capsys.readouterr().err
