"""The Python code of the documents and the examples of docstrings print what they show."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest

import pystrat

DOCS = Path(__file__).parents[1] / "docs"
OF_OTHER_TESTS = {"tree.md", "weighted.md"}
DOCUMENTS = [
    page.name
    for page in sorted(DOCS.glob("*.md"))
    if page.name not in OF_OTHER_TESTS and "\n```python\n" in page.read_text(encoding="utf-8")
]


def blocks(document: str, languages: str = "python") -> str:
    text = (DOCS / document).read_text(encoding="utf-8")
    return "\n".join(re.findall(rf"```(?:{languages})\n(.*?)```", text, flags=re.DOTALL))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_documents_print_what_they_say(document: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = blocks(document)
    names: dict[str, Any] = {}
    exec(code, names)
    promised = re.findall(r"^# (.*)$", code, flags=re.MULTILINE)
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]  # pandas ends lines with blanks
    assert printed == promised


def test_the_recipe_for_dask(capsys: pytest.CaptureFixture[str]) -> None:
    dask = pytest.importorskip("dask", reason="Debian and PyPI have Dask")
    pytest.importorskip(
        "dask.dataframe", reason="newer releases of Dask need pyarrow for it, which Debian does not have"
    )
    code = blocks("beyond-one-machine.md", "python|py")
    with dask.config.set(scheduler="processes", num_workers=2):
        exec(code, {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", code, flags=re.MULTILINE)


def test_the_reader_of_parquet_files(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow.parquet", reason="Debian 12 and 13 do not have pyarrow")
    names: dict[str, Any] = {}
    code = blocks("streams.md", "python|py")
    exec(code, names)
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", code, flags=re.MULTILINE)
    for name in ("from_parquet", "light"):
        names[name].set_epoch(0)
    assert list(map(names["parse"], names["light"])) == list(names["from_parquet"]), "the rows of the same lines"


def test_weighted(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    code = blocks("weighted.md")
    exec(code, names)
    printed = capsys.readouterr().out.splitlines()
    assert printed and {f"# {line}" for line in printed} <= set(code.splitlines())
    assert names["buffer"].epoch == 0, "sampled outside epochs"
    assert names["sampler"].epoch == 1


def test_documents_and_vignettes_that_help_pages_and_docstrings_name_exist() -> None:
    root = DOCS.parent
    files = [*root.glob("rbridge/r/man/*.Rd"), *root.glob("pystrat/**/*.py"), *root.glob("rbridge/*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    named = set(re.findall(r"\bdocs/[\w-]+\.md\b", text))
    named |= set(re.findall(r"\bvignettes/[\w-]+\.Rmd\b", text))
    named |= {f"vignettes/{name}.Rmd" for name in re.findall(r'vignette\("([\w-]+)"', text)}
    named |= {f"docs/{name}.md" for name in re.findall(r"\\guide\{([^}]*)\}", text)}
    assert {"docs/stratified.md", "vignettes/stratified-batches.Rmd"} <= named
    assert [name for name in sorted(named) if not (root / name).is_file()] == []


MODULES = [module.name for module in walk_packages(pystrat.__path__, "pystrat.") if module.name != "pystrat.__main__"]


def test_the_examples_of_docstrings_print_what_they_say() -> None:
    # Tables of pandas end some lines with blanks.
    found = [doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE) for name in MODULES]
    assert sum(result.attempted for result in found) > 100
    assert sum(result.failed for result in found) == 0
