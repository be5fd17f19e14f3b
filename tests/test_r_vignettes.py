"""The vignettes of the R package are the rendered ones."""

from __future__ import annotations

from typing import Any

from tests.test_docs import ROOT


def test_the_vignettes_of_the_r_package_are_the_rendered_ones(modules_of_tool: Any) -> None:
    tool = modules_of_tool(".")("r_vignettes")
    assert tool.main(["--check"]) == 0
    names = {path.stem for path in (ROOT / "vignettes").glob("*.Rmd")}
    assert names == {path.stem for path in tool.TARGET.glob("*.Rmd")}
