"""What tests need of the inside of pystrat. Only this file of the tests imports what is private.

Samplers draw through one binding of the C core. Tests of rules over many small cases use the binding itself, because a
sampler would need data, such as files, that have exactly the numbers of a case.
"""

from __future__ import annotations

from typing import Any

from pystrat import _core as core
from pystrat import _kernels as kernels
from pystrat import _kinds as kinds
from pystrat.core_sampler import KindBatchSampler
from pystrat.recipe import Recipe

__all__ = ["core", "is_in_cpp", "kernels", "kinds", "recipe_of"]


def is_in_cpp(kind: str) -> bool:
    """Return whether a kind of samplers is in the core in C++."""
    classes = [KindBatchSampler]
    for each in classes:
        classes.extend(each.__subclasses__())
    return kind in [vars(each).get("_kind") for each in classes]


def recipe_of(sampler: Any) -> Recipe:
    """Return the numbers and settings from which a sampler draws, as the core has them."""
    recipe: Recipe = sampler._recipe()
    return recipe
