"""The plan of a mixture of files, as R's data.frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from pystrat.messages import refusal, show
from pystrat.corpus import CorpusMixtureBatchSampler
from pystrat.corpus.plan import shown_name
from rbridge.guard import errors_as_values
from rbridge.session import session


def corpus_plan(mixture: CorpusMixtureBatchSampler) -> Any:
    """Return the plan of a mixture as a data.frame in R, in this process.

    Parameters
    ----------
    mixture : pystrat.corpus.CorpusMixtureBatchSampler

    Returns
    -------
    rpy2.rinterface vector
        A data.frame with the columns of `pystrat.corpus.CorpusPlan.table`; a missing rule is NA, and bytes of a file's
        name that are no characters are shown as ``\\xe9``, since text in R has none such.

    Raises
    ------
    TypeError
        Where `mixture` is none.
    RNotAvailableError, RError
        Where R is missing, or raises an error.
    """
    columns = plan_columns(mixture)
    r = session()
    return r.call("data_frame_of_columns", r.named_list(**columns))


def plan_columns(mixture: Any) -> dict[str, Any]:
    """Return the columns of the plan as lists of str and float64 arrays, which is what crosses to R."""
    if not isinstance(mixture, CorpusMixtureBatchSampler):
        raise TypeError(refusal("mixture", "corpus_plan", "be a CorpusMixtureBatchSampler", show(mixture)))
    table = mixture.plan.table()
    return {
        name: list(map(shown_name, table[name])) if name == "file" else table[name].to_numpy().astype(np.float64)
        for name in table
    }


guarded_plan_columns = errors_as_values(plan_columns)
