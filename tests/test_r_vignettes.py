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


def test_the_vignettes_of_the_r_package_are_the_rendered_ones(tool: Any) -> None:
    assert tool.main(["--check"]) == 0
    names = {path.stem for path in (ROOT / "vignettes").glob("*.Rmd")}
    assert names == {path.stem for path in tool.TARGET.glob("*.Rmd")}


def test_a_vignette_has_no_link_out_of_the_package_and_no_code_that_would_run_and_what_differs_is_named(
    tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rendered, target = tmp_path / "vignettes", tmp_path / "r"
    for name, folder in (("ROOT", tmp_path), ("SOURCES", rendered), ("TARGET", target)):
        monkeypatch.setattr(tool, name, folder)
    (rendered / "one_files" / "figure-gfm").mkdir(parents=True)
    Image.new("RGB", (1440, 720), (0, 114, 178)).save(rendered / "one_files" / "figure-gfm" / "plot-1.png")
    text = (
        "A title of\ntwo lines\n================\n\nSee [other](other.md#part), [a\nscript](run.py), "
        "[`run.py`](run.py), [web](https://example.org/x.md)\nand [part](../docs/a.md#part).\n\n"
        "``` r\nx[[1]](y)\n```\n\n    #> [1](2)\n\n![](one_files/figure-gfm/plot-1.png)<!-- -->\n"
    )
    (rendered / "one.md").write_text(text, encoding="utf-8")
    assert tool.main(["--check"]) == 1 and tool.main([]) == 0 and tool.main(["--check"]) == 0
    header, body = (target / "one.Rmd").read_text(encoding="utf-8").split("\n---\n\n", maxsplit=1)
    assert 'title: "A title of two lines"' in header and "%\\VignetteIndexEntry{A title of two lines}" in header
    assert body.split("\n\n", maxsplit=1)[1].strip() == (
        "See [other](other.html), a\nscript (`vignettes/run.py`), `run.py`, [web](https://example.org/x.md)\n"
        "and part (`docs/a.md`).\n\n``` r\nx[[1]](y)\n```\n\n    #> [1](2)\n\n![](one-plot-1.png)<!-- -->"
    )
    colors = Image.open(target / "one-plot-1.png").convert("RGB").getcolors()
    assert colors == [(720 * 360, (0, 114, 178))], "smaller, with its colors"
    capsys.readouterr()
    (target / "one-plot-1.png").unlink()
    (target / "left.Rmd").write_text("", encoding="utf-8")
    assert tool.main(["--check"]) == 1
    named = capsys.readouterr().out
    assert all(f"rbridge/r/vignettes/{name} is not" in named for name in ("one-plot-1.png", "left.Rmd"))
    for code in ("```{r}\n1\n```\n", "The value `r 1 + 1` here.\n"):
        (rendered / "one.md").write_text(f"{text}\n{code}", encoding="utf-8")
        with pytest.raises(SystemExit, match="knitr would run code in one.Rmd"):
            tool.main([])
