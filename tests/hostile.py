"""Values that people pass by mistake, for all parameters, and the allowed reactions of the package."""

from __future__ import annotations

import datetime
import re
import resource
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator

import numpy as np
import pandas as pd
import scipy.sparse
import torch

GRAMMAR = re.compile(
    r"The '(?P<parameter>[^']+)' parameter(?P<where> (?:of|at) .+?)? must .+\. Got .+ instead\.( .+\.)?", re.S
)
MEMORY = 1 << 30  # bytes that one call may take


def read_only(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


def of_objects(*values: Any) -> np.ndarray:
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


# Each is made anew for each call: some can be used only once.
HOSTILE: dict[str, Callable[[], Any]] = {
    # Numbers
    "None": lambda: None,
    "True": lambda: True,
    "0": lambda: 0,
    "-1": lambda: -1,
    "0.5": lambda: 0.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "2**31": lambda: 2**31,
    "2**53 + 1": lambda: 2**53 + 1,
    "2**64": lambda: 2**64,
    "Fraction": lambda: Fraction(1, 3),
    "NaT": lambda: pd.NaT,
    "NA": lambda: pd.NA,
    "date": lambda: datetime.date(2020, 1, 1),
    # Text and bytes
    "no text": lambda: "",
    "text": lambda: "uniform",
    "digits": lambda: "1",
    "NUL": lambda: "a\0b",
    "bytes": lambda: b"\xff\0",
    "Path": lambda: Path("nowhere"),
    # Containers
    "no items": lambda: [],
    "set": lambda: {0, 1},
    "no keys": lambda: {},
    "dict": lambda: {"a": 1},
    "dict of numbers": lambda: {0: 0.5},
    "dict of lists": lambda: {"a": [1, 2], "b": [1]},
    "generator": lambda: (place for place in range(3)),
    "range": lambda: range(3),
    "ragged": lambda: [[1], [1, 2]],
    "lists of lists": lambda: [[[1]]],
    # Lists of what may not be among the rest
    "a None": lambda: [None, 1],
    "only None": lambda: [None, None],
    "a nan": lambda: [float("nan"), 1.0],
    "an inf": lambda: [float("inf"), 1.0],
    "a -1": lambda: [-1, 1],
    "a half": lambda: [0.5, 1],
    "a 2**53 + 1": lambda: [2**53 + 1, 1],
    "close doubles": lambda: [0.1 + 0.2, 0.3],
    "a bool": lambda: [True, 2],
    "a text": lambda: ["a", 1],
    "a NUL": lambda: ["a\0", "b"],
    "a list": lambda: [[1], 1],
    "an object": lambda: [object(), 1],
    "a date": lambda: [datetime.date(2020, 1, 1), 1],
    # Arrays of numpy
    "0-d": lambda: np.array(2),
    "1 value": lambda: np.array([2]),
    "0 rows": lambda: np.empty((0, 3)),
    "2-d": lambda: np.ones((2, 2), dtype=np.int64),
    "3-d": lambda: np.ones((2, 2, 2)),
    "objects": lambda: of_objects(object(), None),
    "no objects": lambda: np.empty(0, dtype=object),
    "dates": lambda: np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
    "complex array": lambda: np.array([1j, 1]),
    "uint64s": lambda: np.array([2**64 - 3, 1], dtype=np.uint64),
    "other byte order": lambda: np.array([1, 0], dtype=">i8"),
    "read-only": lambda: read_only(np.array([0, 1])),
    "all masked": lambda: np.ma.masked_all(2, dtype=np.int64),
    "texts": lambda: np.array(["1", "2"]),
    # pandas
    "Int64 with NA": lambda: pd.Series([1, None], dtype="Int64"),
    "string with NA": lambda: pd.array(["a", None], dtype="string"),
    "categories with NA": lambda: pd.Categorical(["a", None]),
    "zoned dates": lambda: pd.date_range("2020-01-01", periods=2, tz="Asia/Tokyo"),
    "no Series": lambda: pd.Series([], dtype=float),
    "Series with its own index": lambda: pd.Series([0, 1], index=[7, 7]),
    "MultiIndex": lambda: pd.MultiIndex.from_tuples([(1, 2), (3, 4)]),
    "DataFrame": lambda: pd.DataFrame({"a": [1, 0], "b": ["x", "y"]}),
    "no DataFrame": lambda: pd.DataFrame(),
    # Matrices of scipy and tensors
    "sparse matrix": lambda: scipy.sparse.eye(2, format="csr"),
    "tensor": lambda: torch.tensor([1, 0]),
    "0-d tensor": lambda: torch.tensor(2),
    "no tensor": lambda: torch.tensor([]),
    "2-d tensor": lambda: torch.ones(2, 2, requires_grad=True),
    "tensor of logical values": lambda: torch.tensor([True, False]),
    "bfloat16 tensor": lambda: torch.tensor([float("nan"), 1], dtype=torch.bfloat16),
    # Anything else
    "object": object,
    "function": lambda: len,
}


def refusal(error: BaseException) -> str:
    """Return what is wrong with an error as an answer to a hostile value; nothing if it is a message of the grammar."""
    if type(error) not in (TypeError, ValueError, KeyError):
        return f"{type(error).__name__}: {error}"[:300]
    message = error.args[0] if error.args else ""
    if not isinstance(message, str) or not GRAMMAR.fullmatch(message):
        return f"not of the grammar: {type(error).__name__}: {message}"[:300]
    return ""


@contextmanager
def bounded_memory() -> Iterator[None]:
    """Let whatever takes far more memory than it should end in a MemoryError."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (in_use + MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def collected(batches: Iterable[Any]) -> list[list[int]]:
    return [[int(row) for row in batch] for batch in batches]
