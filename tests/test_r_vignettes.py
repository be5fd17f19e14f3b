"""The vignettes of the R package are the rendered ones, and building them runs no code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.test_docs import ROOT


@pytest.fixture(name="tool")
def _tool(modules_of_tool: Any) -> Any:
    return modules_of_tool(".")("r_vignettes")


@pytest.fixture(name="folders")
def _folders(tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A repository with one vignette: the folder of the rendered one, and that of the R package."""
    rendered, target = tmp_path / "vignettes", tmp_path / "r"
    (rendered / "one_files" / "figure-gfm").mkdir(parents=True)
    Image.new("RGB", (1440, 720), (0, 114, 178)).save(rendered / "one_files" / "figure-gfm" / "plot-1.png")
    (rendered / "one.md").write_text(
        "A title of\ntwo lines\n================\n\nSee [other](other.md), [a\nscript](run.py), [`run.py`](run.py), "
        "[web](https://example.org/x.md)\nand [part](../docs/a.md#part).\n\n``` r\nx[[1]](y)\n```\n\n"
        "    #> [1](2)\n\n- item\n    [other](other.md#part)\n\n![](one_files/figure-gfm/plot-1.png)<!-- -->\n",
        encoding="utf-8",
    )
    for name, folder in (("ROOT", tmp_path), ("SOURCES", rendered), ("TARGET", target)):
        monkeypatch.setattr(tool, name, folder)
    return rendered, target


def test_the_vignettes_of_the_r_package_are_the_rendered_ones(tool: Any) -> None:
    assert tool.main(["--check"]) == 0
    names = {path.stem for path in (ROOT / "vignettes").glob("*.Rmd")}
    assert names == {path.stem for path in tool.TARGET.glob("*.Rmd")}


def test_a_vignette_has_what_r_needs_and_no_link_out_of_the_package_and_what_differs_is_named(
    tool: Any, folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert tool.main(["--check"]) == 1 and tool.main([]) == 0
    header, body = (folders[1] / "one.Rmd").read_text(encoding="utf-8").split("\n---\n\n", maxsplit=1)
    assert 'title: "A title of two lines"' in header and "%\\VignetteIndexEntry{A title of two lines}" in header
    assert body.split("\n\n", maxsplit=1)[1].strip() == (
        "See [other](other.html), a\nscript (`vignettes/run.py`), `run.py`, [web](https://example.org/x.md)\n"
        "and part (`docs/a.md`).\n\n``` r\nx[[1]](y)\n```\n\n    #> [1](2)\n\n- item\n    [other](other.html)\n\n"
        "![](one-plot-1.png)<!-- -->"
    )
    figure = Image.open(folders[1] / "one-plot-1.png")
    assert figure.convert("RGB").getcolors() == [(720 * 360, (0, 114, 178))], "smaller, with its colors"
    assert tool.main(["--check"]) == 0
    capsys.readouterr()
    (folders[1] / "one.Rmd").write_text("changed", encoding="utf-8")
    (folders[1] / "one-plot-1.png").unlink()
    (folders[1] / "left.Rmd").write_text("", encoding="utf-8")
    assert tool.main(["--check"]) == 1
    named = capsys.readouterr().out
    assert all(f"rbridge/r/vignettes/{name} is not" in named for name in ("one.Rmd", "one-plot-1.png", "left.Rmd"))


@pytest.mark.parametrize("code", ["```{r}\n1\n```\n", "The value `r 1 + 1` here.\n"])
def test_code_that_would_run_is_refused(tool: Any, folders: tuple[Path, Path], code: str) -> None:
    page = folders[0] / "one.md"
    page.write_text(f"{page.read_text(encoding='utf-8')}\n{code}", encoding="utf-8")
    with pytest.raises(SystemExit, match="knitr would run code in one.Rmd"):
        tool.main([])
