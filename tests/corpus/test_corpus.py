"""Parallel files: lines drawn by a mixture, delivered by a dataset in any process; plans on the command line."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from torch.utils.data import DataLoader

from pystrat.seeds import epoch_seed
from pystrat.cli import main
from pystrat.corpus import CorpusDataset, CorpusMixtureBatchSampler
from tests.reference.naive_random import NaiveStream

ORDER = ["IT1", "IT2", "MSDN", "colloquial", "empty", "generic", "news"]
RULES = ["IT,MSDN 20", "colloquial 10", "generic 65", "* 5"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """The published folder: parallel files, whose lines say where they stand; one of them is empty."""
    sizes = {"IT1": 30, "IT2": 10, "MSDN": 60, "colloquial": 4, "generic": 900, "news": 50, "empty": 0}
    for name, size in sizes.items():
        for side in ("src", "tgt"):
            text = "".join(f"{name} {line} {side}\r\n" for line in range(size))
            (tmp_path / f"{name}.{side}").write_bytes(text.encode())
    (tmp_path / "folder.src").mkdir()
    (tmp_path / "README").write_text("not a corpus\n", encoding="utf-8")
    return tmp_path


def test_positions_are_the_lines_of_all_files_in_order(corpus: Path) -> None:
    """Files are ordered by the bytes of their names, or as they are listed."""
    dataset = CorpusDataset(corpus)
    assert [each.name for each in dataset.table.found] == ORDER and len(dataset) == len(list(dataset)) == 1054
    assert dataset[0] == ("IT1 0 src", "IT1 0 tgt")
    assert dataset[30] == ("IT2 0 src", "IT2 0 tgt")
    assert dataset[104] == ("generic 0 src", "generic 0 tgt"), "an empty file has no position"
    assert dataset[1053] == ("news 49 src", "news 49 tgt")
    assert [dataset.find(position) for position in (29, 30, 103, 104)] == [(0, 29), (1, 0), (3, 3), (5, 0)]
    for ask in (lambda: dataset[-1], lambda: dataset[1054], lambda: dataset.__getitems__([0, 1054])):
        with pytest.raises(IndexError):
            ask()
    listed = CorpusDataset([corpus / "news.src", str(corpus / "IT2.src")])
    assert listed[0] == ("news 0 src", "news 0 tgt") and listed[50] == ("IT2 0 src", "IT2 0 tgt")
    for name in ("b", "B", "a-b", "a", "é", "ab"):
        (corpus / f"{name}.txt").write_text("x\n", encoding="utf-8")
    assert [each.name for each in CorpusDataset(corpus, [".txt"]).table.found] == ["B", "a", "a-b", "ab", "b", "é"]


def test_a_batch_has_the_sides_and_the_transform_in_the_order_of_its_positions(corpus: Path) -> None:
    assert CorpusDataset(corpus, [".tgt"])[0] == ("IT1 0 tgt",)
    for name in ORDER:
        (corpus / f"{name}.tag").write_bytes((corpus / f"{name}.src").read_bytes())
    dataset = CorpusDataset(corpus, [".tag", ".tgt", ".src"], transform=lambda lines: "|".join(lines))
    assert dataset.__getitems__([30, 0, 29, 0]) == [
        *("IT2 0 src|IT2 0 tgt|IT2 0 src", "IT1 0 src|IT1 0 tgt|IT1 0 src"),
        *("IT1 29 src|IT1 29 tgt|IT1 29 src", "IT1 0 src|IT1 0 tgt|IT1 0 src"),
    ]
    assert dataset.__getitems__([]) == []


def test_a_missing_or_unequal_partner_is_an_error_that_names_both(corpus: Path) -> None:
    with open(corpus / "news.tgt", "a", encoding="utf-8") as text:
        text.write("one more")
    message = f"Got 50 lines in '{corpus}/news.src' and 51 lines in '{corpus}/news.tgt' instead."
    with pytest.raises(ValueError, match=f"^The 'source' parameter .* {re.escape(message)}"):
        CorpusMixtureBatchSampler(corpus, 10, sample=100)
    for gone, left in (("news.src", "news.tgt"), ("IT1.tgt", "IT1.src")):
        (corpus / gone).rename(corpus / "aside")
        with pytest.raises(ValueError, match=re.escape(f"Got '{corpus}/{left}' without '{corpus}/{gone}' instead.")):
            CorpusDataset(corpus)
        (corpus / "aside").rename(corpus / gone)
        (corpus / "news.tgt").write_bytes((corpus / "news.src").read_bytes())


@pytest.mark.parametrize(
    ("source", "suffixes", "message"),
    [
        ("nowhere", [".src"], "'source' parameter must be a folder or a list of files. Got '"),
        ("", [".txt"], "must have files that end in '.txt'. Got none"),
        (["news.tgt"], [".src", ".tgt"], "must list files that end in '.src'. Got '"),
        (["other.src"], [".src", ".tgt"], "must have a file of each suffix. Got no file '"),
        (["other.src"], [".src"], "other.src' instead."),
        ("", ".src", "'suffixes' parameter must be different endings of names"),
        ("", [], "Got ()"),
        (3, [".src"], "'source' parameter must be a folder or a list of files. Got 3 instead."),
        ([3], [".src"], "Got a list with 3 instead."),
    ],
)
def test_refused(corpus: Path, source: Any, suffixes: Any, message: str) -> None:
    where = corpus / source if isinstance(source, str) else source
    if isinstance(source, list):
        where = [corpus / name if isinstance(name, str) else name for name in source]
    with pytest.raises((TypeError, ValueError)) as refused:
        CorpusDataset(where, suffixes)
    assert message in str(refused.value)


def mixture_of(corpus: Path, **parameters: Any) -> CorpusMixtureBatchSampler:
    return CorpusMixtureBatchSampler(corpus, 16, **{"sample": 200, "rules": RULES, "seed": 1, **parameters})


def drawn(mixture: CorpusMixtureBatchSampler) -> dict[str, int]:
    return {file.name: file.drawn for file in mixture.plan.files}


def test_lines_are_drawn_as_r_draws_them(corpus: Path) -> None:
    parameters = {"rules": ["IT1 *", "news 1", "generic 2", "* 0.000001"], "sample": 130}
    mixture, in_order = mixture_of(corpus, **parameters), mixture_of(corpus, shuffle=False, **parameters)
    assert drawn(mixture) == dict(zip(ORDER, [0, 1, 1, 1, 0, 67, 34]))
    for epoch in range(2):
        stream = NaiveStream(epoch_seed(1, epoch))
        parts = [np.arange(30)]
        for first, lines, count in ((30, 10, 1), (40, 60, 1), (100, 4, 1), (104, 900, 67), (1004, 50, 34)):
            parts.append(first + stream.indices(lines, count))
        positions = np.concatenate(parts)
        assert mixture.batches(epoch).rows.tolist() == positions[stream.permutation(134)].tolist()
        assert in_order.batches(epoch).rows.tolist() == sorted(positions.tolist())


def test_files_that_no_rule_covers_are_named_in_a_warning(corpus: Path) -> None:
    with pytest.warns(UserWarning, match="are left out: 'IT1', 'IT2', 'colloquial', 'empty', 'generic'.") as warned:
        mixture = mixture_of(corpus, rules=["news 1", "MSDN 1"])
    assert warned[0].filename == __file__
    assert {mixture.dataset().find(row)[0] for row in mixture.batches(0).rows} == {2, 6}


THOROUGH = [pytest.param(method, marks=pytest.mark.thorough) for method in ("spawn", "forkserver")]


@pytest.mark.parametrize("method", ["fork", *THOROUGH])
def test_workers_read_the_same(corpus: Path, method: str) -> None:
    mixture = mixture_of(corpus)
    dataset = mixture.dataset()
    dataset[0]  # the descriptors that a fork inherits are open already
    expected = [[dataset[row] for row in batch] for epoch in range(2) for batch in mixture.batches(epoch)]
    options: dict[str, Any] = {"num_workers": 2, "multiprocessing_context": method, "collate_fn": list}
    loader: Any = DataLoader(dataset, batch_sampler=mixture, **options)
    assert [batch for _ in range(2) for batch in loader] == expected


def test_the_dry_run(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = corpus / "rules.txt"
    rules.write_text("\n".join(RULES[:3]) + "\nMSDN *\n", encoding="utf-8")
    options = ["--suffix", ".src,.tgt", "--rules", str(rules), "--sample", "200"]
    assert main(["corpus", "plan", str(corpus), *options]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "file        lines  rule  uniform    share  drawn  kept",
        "IT1            30     1   3.02 %  15.79 %     23     0",
        "IT2            10     1   1.01 %   5.26 %      8     0",
        "MSDN           60     4   0.00 %   0.00 %      0    60",
        "colloquial      4     2   0.40 %  10.53 %     15     0",
        "empty           0     -   0.00 %   0.00 %      0     0",
        "generic       900     3  90.54 %  68.42 %     96     0",
        "news           50     -   5.03 %   0.00 %      0     0",
        "total        1054                            142    60",
        "An epoch has 202 lines.",
        "No rule covers empty, news: left out.",
    ]
    assert main(["corpus", "plan", str(corpus), "--sample", "0.5"]) == 0
    assert "An epoch has 527 lines." in capsys.readouterr().out


def test_the_dry_run_leaves_out_long_lines_and_an_error_takes_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.src").write_text("w\n" + "w w w\n" * 2, encoding="ascii")
    (tmp_path / "a.tgt").write_text("w w\n" * 2 + "w\n", encoding="ascii")
    command = ["corpus", "plan", str(tmp_path)]
    for limit, excluded in (("2", "2"), ("3,1", "2"), ("3,3", "0")):
        assert main([*command, "--sample", "3", "--max-length", limit]) == 0
        assert capsys.readouterr().out.splitlines()[1].split()[:3] == ["a", "3", excluded]
    assert main([*command, "--sample", "3", "--max-length", "1,2,3"]) == 2
    assert "'--max-length' option must have one number for each side, 2" in capsys.readouterr().err
    assert main([*command, "--sample", "1.0"]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.startswith("pystrat: The '--sample' option must be a share")
    assert told.err.count("\n") == 1


def test_names_that_are_no_text_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The plan keeps the name with which the file is found."""
    for name in (b"caf\xe9.txt", b"caf\xc3\xa9.txt"):
        with open(os.path.join(os.fsencode(tmp_path), name), "wb") as text:
            text.write(b"a line\n")
    (tmp_path / "rules").write_bytes(b"caf\xc3 1\n")
    options = ["--suffix", ".txt", "--sample", "1", "--rules", str(tmp_path / "rules")]
    assert main(["corpus", "plan", str(tmp_path), *options]) == 0
    told = capsys.readouterr().out
    assert [line.split()[0] for line in told.splitlines()[1:3]] == ["café", "caf\\xe9"]
    assert "No rule covers caf\\xe9: left out." in told
    with pytest.warns(UserWarning, match=r"left out: 'caf\\xe9'\.$"):
        mixture = CorpusMixtureBatchSampler(tmp_path, 1, suffixes=[".txt"], sample=1, rules=tmp_path / "rules")
    assert mixture.plan.table()["file"].tolist() == ["café", "caf\udce9"]
