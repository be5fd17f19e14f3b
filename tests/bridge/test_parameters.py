"""The parameters of the R package are those of docs/parameters.md, with its defaults; and it has no others."""

from __future__ import annotations

import inspect
from typing import Callable

from tests.reference.parameters import REQUIRED, constructors, default_of, documented
from tests.test_parameters import MODULES, public

FORMALS = """
for (name in getNamespaceExports("rbridge")) {
  exported = getExportedValue("rbridge", name)
  given = if (is.function(exported)) formals(exported)
  for (parameter in setdiff(names(given), "...")) {
    default = given[parameter]
    is_required = identical(default[[1]], quote(expr = ))
    cat(name, parameter, if (is_required) "required" else deparse1(default[[1]]), sep = "\\t")
    cat("\\n")
  }
}
"""


def test_every_parameter_of_r_is_in_the_table_and_the_table_has_no_other(rscript: Callable[..., str]) -> None:
    table, others, used = documented(), [], set()
    made: dict[str, set[str]] = {}
    for line in rscript(FORMALS).splitlines():
        name, parameter, shown = line.split("\t")
        used.add(parameter)
        made.setdefault(name, set()).add(parameter)
        default = REQUIRED if shown == REQUIRED else default_of(shown)
        if default not in table.get(parameter, set()):
            others.append(f"{name}({parameter} = {shown})")
    assert others == [], "add a line to docs/parameters.md, or use a name and a default that it has"
    of_r = {name: parameters for name, parameters in constructors().items() if name[0].islower()}
    assert of_r == {name: made[name] - {"rank"} for name in of_r}
    samplers = {name for name in made if name.startswith("batch_sampler_")} - {"batch_sampler_python"}
    assert set(of_r) == samplers | {"stratified_stream"}
    for module in MODULES:
        used.update(parameter for _, made in public(module) for parameter in inspect.signature(made).parameters)
    assert set(table) == used, "a line for no parameter"
