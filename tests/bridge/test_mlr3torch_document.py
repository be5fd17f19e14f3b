"""The examples of docs/mlr3torch.md, all in one R session, as a reader runs them."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

DOCUMENT = Path(__file__).parents[2] / "docs" / "mlr3torch.md"


def test_the_examples_run_as_they_stand(rscript: Callable[..., str]) -> None:
    blocks = [part.split("```")[0] for part in DOCUMENT.read_text(encoding="utf-8").split("```r\n")[1:]]
    assert len(blocks) == 6
    checks = """
    stopifnot(
      identical(regression$param_set$values$batch_sampler(cars)$plan(), batch_plan(cars, 2)$composition()),
      nrow(paradox::generate_design_grid(tuned$param_set$search_space())$data) == 2
    )
    cat("all of it ran\\n")
    """
    printed = rscript("\n".join([*blocks, checks]))
    assert "<batch_plan>" in printed
    assert printed.endswith("all of it ran\n")
