"""The parameters of the R package are those of its help pages, from which docs/parameters.md has its defaults."""

from __future__ import annotations

from typing import Any, Callable

FORMALS = """
for (name in getNamespaceExports("rbridge")) {
  exported = getExportedValue("rbridge", name)
  given = if (is.function(exported)) formals(exported)
  for (parameter in setdiff(names(given), "...")) {
    cat(name, parameter, deparse1(given[[parameter]]), sep = "\t")
    cat("\n")
  }
}
"""


def test_the_parameters_of_r_are_those_of_its_help_pages(rscript: Callable[..., str], modules_of_tool: Any) -> None:
    tool = modules_of_tool("site")("parameters")
    found: dict[str, dict[str, str]] = {}
    for line in rscript(FORMALS).splitlines():
        name, parameter, default = line.split("\t")
        found.setdefault(name, {})[parameter] = tool.r_default(default)
    assert {name: signature for name, signature in tool.r_signatures().items() if signature} == found
