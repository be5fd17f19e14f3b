"""The check of the vignettes finds the differences it should find."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from rbridge._install import find_r
from tests.test_readme import ROOT

DOCUMENT = """---
title: "A vignette"
output: github_document
---

A sentence of some length, so that it takes more than one line of the committed text, where pandoc breaks it.

- An entry of a list.

```{r picture}
plot(1:2)
sum(1:4)
```
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with one vignette, rendered."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "vignettes").mkdir()
    shutil.copy(ROOT / "tools" / "vignettes.R", tmp_path / "tools")
    (tmp_path / "vignettes" / "one.Rmd").write_text(DOCUMENT, encoding="utf-8")
    assert run(tmp_path).returncode == 0
    return tmp_path


def run(folder: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    command = [find_r("Rscript") or "Rscript", "tools/vignettes.R", *arguments]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def test_what_is_unchanged_passes_and_is_left_alone(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = run(folder, "--check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_another_number_in_the_committed_text_is_found(folder: Path) -> None:
    text = folder / "vignettes" / "one.md"
    text.write_text(text.read_text(encoding="utf-8").replace("[1] 10", "[1] 11"), encoding="utf-8")
    done = run(folder, "--check", "one")
    assert done.returncode == 1
    assert "one differs from a fresh rendering" in done.stdout and "fresh:         #> [1] 10" in done.stdout


def test_where_prose_is_broken_into_lines_is_left_to_pandoc(folder: Path) -> None:
    text = folder / "vignettes" / "one.md"
    before = text.read_text(encoding="utf-8")
    (sentence,) = [part for part in before.split("\n\n") if part.startswith("A sentence")]
    assert "\n" in sentence
    otherwise = before.replace(sentence, sentence.replace("\n", " ")).replace("-   An entry", "- An entry")
    text.write_text(otherwise, encoding="utf-8")
    done = run(folder, "--check")
    assert done.returncode == 0, done.stdout + done.stderr
    text.write_text(before.replace("some length", "no length"), encoding="utf-8")
    done = run(folder, "--check")
    assert done.returncode == 1 and "committed: A sentence of no length" in done.stdout


def test_a_picture_that_is_gone_is_found(folder: Path) -> None:
    (picture,) = folder.rglob("*.png")
    picture.unlink()
    done = run(folder, "--check")
    assert done.returncode == 1 and f"lacks {picture.relative_to(folder / 'vignettes')}" in done.stdout


def test_an_error_in_the_code_is_told(folder: Path) -> None:
    source = folder / "vignettes" / "one.Rmd"
    source.write_text(DOCUMENT.replace("sum(1:4)", "stop('this went wrong')"), encoding="utf-8")
    for arguments in ((), ("--check",)):
        done = run(folder, *arguments)
        assert done.returncode == 1 and "this went wrong" in done.stdout


def test_a_vignette_that_there_is_not_is_refused(folder: Path) -> None:
    done = run(folder, "two")
    assert done.returncode != 0 and "there is no vignette two; there are one" in done.stderr


def test_the_text_is_the_same_with_and_without_libtorch(folder: Path) -> None:
    """R takes files of these names for LibTorch, as long as it need not load them."""
    libtorch = folder / "libtorch"
    (libtorch / "lib").mkdir(parents=True)
    for name in ("liblantern.so", "libtorch.so"):
        (libtorch / "lib" / name).touch()
    there = {"TORCH_HOME": str(libtorch), "TORCH_VERIFY_LOAD": "FALSE"}
    chunk = "```{r, eval = torch::torch_is_installed()}\nprod(1:6)\n```\n"
    (folder / "vignettes" / "one.Rmd").write_text(f"{DOCUMENT}\n{chunk}", encoding="utf-8")
    assert run(folder, **there).returncode == 0
    text = (folder / "vignettes" / "one.md").read_text(encoding="utf-8")
    assert "prod(1:6)" in text and "720" not in text
    for environment in ({}, there):
        done = run(folder, "--check", **environment)
        assert done.returncode == 0, done.stdout + done.stderr
