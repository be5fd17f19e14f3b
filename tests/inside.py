"""What tests need of the inside of pystrat. Only this file of the tests imports what is private.

Samplers draw through one binding of the core. Tests of rules over many small cases use the binding itself, because a
sampler would need data, such as files, that have exactly the numbers of a case.
"""

from __future__ import annotations

from typing import Any

from pystrat import _core as kinds
from pystrat.core.recipe import Recipe

__all__ = ["kinds", "recipe_of"]


def recipe_of(sampler: Any) -> Recipe:
    """Return the numbers and settings from which a sampler draws, as the core has them."""
    recipe: Recipe = sampler._recipe()
    return recipe
