"""Python batch samplers as generators of R's ``torch::sampler``."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional

import numpy as np

from pystrat.core.base import BatchSampler
from pystrat.core.batches import Batches
from pystrat.core.messages import check_integer, refused_type, show
from pystrat.core.recipe import Recipe
from rbridge.session import Session, as_array, errors_as_values, session
from rbridge.callbacks import EpochSource, check_no_rank, refuse_n_batches


def as_torch_sampler(sampler: Any, *, n_batches: Optional[int] = None) -> Any:
    """Return an R sampler generator with the same batches.

    Parameters
    ----------
    sampler : batch sampler
        A sampler of `pystrat` becomes the native sampler of the R package, which no longer needs Python. R calls any
        other once per epoch, as long as this process runs: an object with a method ``batches(epoch)``, such as your own
        subclass of `BatchSampler`; an iterable of lists of row positions, such as PyTorch's ``BatchSampler``, whose
        ``set_epoch``, if any, is called before each epoch; or a function without arguments that returns the batches of
        a new epoch at each call. If its `yields` is "numbers", its batches hold whole numbers below 2^53 that are not
        row positions, and R does not change them.
    n_batches : int, optional
        The number of batches per epoch, for a sampler without a length.

    Returns
    -------
    rpy2.robjects function
        A generator like those of ``torch::sampler()``, whose instances begin at epoch 0. Call it with a dataset, or
        NULL, to get the instance for ``torch::dataloader(batch_sampler = )``; pass the generator itself to mlr3torch.
        If the dataset has a number of rows, it must be that of the `pystrat` sampler.
    """
    recipe = native_recipe(sampler)
    if recipe is None:
        return _as_robject(_by_callback(EpochSource(sampler, n_batches), session()))
    if n_batches is not None:
        refuse_n_batches(n_batches)
    return _as_robject(_of_recipe(recipe, sampler._functions(), session()))


def native_recipe(sampler: Any) -> Optional[Recipe]:
    """Return the recipe from which R draws a sampler's batches itself; None if it has none."""
    recipe = sampler._recipe_to_export() if isinstance(sampler, BatchSampler) else None
    if recipe is not None:
        check_no_rank(sampler)
    return recipe


def collect_rows(generator: Any, n_rows: int) -> Batches:
    """Run a real ``torch::dataloader`` in R for one epoch and return the rows that it delivers.

    Parameters
    ----------
    generator : R function or R6 instance
        The result of `as_torch_sampler`, any other generator of ``torch::sampler()``, or an instance.
    n_rows : int
        The number of rows of the dataset.

    Returns
    -------
    Batches
        Rows are counted from 0, as in Python. The numbers of a sampler that yields numbers are unchanged, as int64.
    """
    n_rows = check_integer(n_rows, "n_rows", minimum=1)
    r = session()
    if not isinstance(generator, r.rinterface.Sexp):
        raise refused_type("generator", "be a generator or an instance made by torch::sampler()", show(generator))
    rows, offsets = map(as_array, r.call("collect_rows", generator, n_rows))
    positions = rows - np.int32(1) if rows.dtype == np.int32 else rows.astype(np.int64)
    return Batches(positions, offsets.astype(np.int64))


@errors_as_values
def guarded_recipe(sampler: Any) -> Optional[dict[str, Any]]:
    """Return the recipe of a sampler for R's ``batch_sampler_python()``; None if R cannot draw the sampler itself.

    Vectors have types that reticulate converts as needed: a bytearray to raw, a list of text to character.
    """
    recipe = native_recipe(sampler)
    if recipe is None:
        return None

    def crossing(vector: Any) -> Any:
        if isinstance(vector, np.ndarray):
            return bytearray(vector) if vector.dtype == np.uint8 else vector
        return list(vector)

    vectors = {"parts": recipe.parts, "state": recipe.state, "labels": recipe.labels}
    crossed = {entry: {name: crossing(each) for name, each in of.items()} for entry, of in vectors.items()}
    functions = {name: errors_as_values(function) for name, function in sampler._functions().items()}
    return {"kind": recipe.kind, "seed": float(recipe.seed), **crossed, "functions": functions}


def _of_recipe(recipe: Recipe, functions: Mapping[str, Callable[[float], float]], r: Session) -> Any:
    vectors = [r.named_list(**part) for part in (recipe.parts, recipe.state, recipe.labels)]
    asked = {name: r.callback(lambda number, of=of: of(number[0])) for name, of in functions.items()}
    return r.call("generator_from_python", recipe.kind, float(recipe.seed), *vectors, r.named_list(**asked))


def _by_callback(source: EpochSource, r: Session) -> Any:
    """Return the generator of a sampler that stays in Python."""

    def batches(epoch: Any) -> Any:
        rows, offsets = source.batches(int(epoch[0]))
        return r.named_list(rows=rows, offsets=offsets)

    told = (float(source.n_batches), source.class_name, source.identity)
    return r.call("callback_generator", r.callback(batches), *told)


def _as_robject(generator: Any) -> Any:
    """Return the R function in the type that rpy2's users know, whatever conversion rules are set."""
    from rpy2 import robjects

    with robjects.conversion.localconverter(robjects.default_converter):
        return robjects.default_converter.rpy2py(generator)
