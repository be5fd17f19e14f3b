"""Unexpected values for all parameters, and the allowed reactions of the package."""

from __future__ import annotations

import datetime
import enum
import itertools
import re
import resource
import warnings
from contextlib import contextmanager
from decimal import Decimal
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


class Colour(enum.Enum):
    RED = 1


class Number(enum.IntEnum):
    FIVE = 5


def nothing() -> int:
    return 1


def cyclic() -> list[Any]:
    items: list[Any] = [1]
    items.append(items)
    return items


def read_only(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


def of_objects(*values: Any) -> np.ndarray:
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


def csr_tensor() -> torch.Tensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some releases call such tensors a beta version
        return torch.sparse_csr_tensor(torch.tensor([0, 1, 2]), torch.tensor([0, 1]), torch.tensor([1.0, 2.0]), (2, 2))


def quantized_tensor() -> torch.Tensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer releases call such tensors deprecated
        return torch.quantize_per_tensor(torch.ones(2), 0.5, 0, torch.quint8)


# Each is made anew for each call: some can be used only once.
HOSTILE: dict[str, Callable[[], Any]] = {
    # Numbers
    "None": lambda: None,
    "True": lambda: True,
    "numpy False": lambda: np.bool_(False),
    "0": lambda: 0,
    "-1": lambda: -1,
    "0.5": lambda: 0.5,
    "-0.0": lambda: -0.0,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "5e-324": lambda: 5e-324,
    "2**31": lambda: 2**31,
    "2**53 + 1": lambda: 2**53 + 1,
    "2**63": lambda: 2**63,
    "2**64": lambda: 2**64,
    "10**400": lambda: 10**400,
    "-(10**400)": lambda: -(10**400),
    "10**5000": lambda: 10**5000,  # Python does not write out as many digits
    "10**5000 in digits": lambda: "1" * 5001,
    "Decimal": lambda: Decimal("2"),
    "Decimal NaN": lambda: Decimal("NaN"),
    "Fraction": lambda: Fraction(1, 3),
    "whole Fraction": lambda: Fraction(2),
    "large Fraction": lambda: Fraction(10**400, 3),
    "long Fraction": lambda: Fraction(10**5000 + 1, 10**5000),
    "almost 3": lambda: Fraction(2**60 + 1, 2**60) * 3,
    "complex": lambda: 1j,
    "numpy complex": lambda: np.complex64(2),
    "float16 inf": lambda: np.float16("inf"),
    "longdouble": lambda: np.longdouble("1e4000"),
    "uint64": lambda: np.uint64(2**64 - 3),
    "IntEnum": lambda: Number.FIVE,
    "Enum": lambda: Colour.RED,
    "datetime64": lambda: np.datetime64("2020-01-01"),
    "timedelta64": lambda: np.timedelta64(3, "D"),
    "NaT": lambda: pd.NaT,
    "NA": lambda: pd.NA,
    "Timestamp": lambda: pd.Timestamp("2020-01-01"),
    "date": lambda: datetime.date(2020, 1, 1),
    # Text and bytes
    "no text": lambda: "",
    "text": lambda: "uniform",
    "digits": lambda: "1",
    "NUL": lambda: "a\0b",
    "surrogate": lambda: "\ud800",
    "long text": lambda: "x" * 10**5,
    "no bytes": lambda: b"",
    "bytes": lambda: b"\xff\0",
    "bytearray": lambda: bytearray(b"ab"),
    "memoryview": lambda: memoryview(b"ab"),
    "memoryview of doubles": lambda: memoryview(np.ones((2, 2))),
    "Path": lambda: Path("nowhere"),
    # Containers
    "no items": lambda: [],
    "no tuple": lambda: (),
    "set": lambda: {0, 1},
    "frozenset": lambda: frozenset(["a"]),
    "no keys": lambda: {},
    "dict": lambda: {"a": 1},
    "dict of numbers": lambda: {0: 0.5},
    "dict of lists": lambda: {"a": [1, 2], "b": [1]},
    "dict in dict": lambda: {"a": {"a": {}}},
    "dict_keys": lambda: {"a": 1}.keys(),
    "generator": lambda: (place for place in range(3)),
    "iterator": lambda: iter([1, 2]),
    "endless iterator": itertools.count,
    "map": lambda: map(int, "123"),
    "range": lambda: range(3),
    "range of 2**62": lambda: range(2**62),
    "ragged": lambda: [[1], [1, 2]],
    "ragged arrays": lambda: [np.zeros((2, 3)), np.zeros((2, 4))],
    "lists of none": lambda: [[], []],
    "lists of lists": lambda: [[[1]]],
    "cyclic": cyclic,
    "slice": lambda: slice(None),
    # Lists of what may not be among the rest
    "a None": lambda: [None, 1],
    "only None": lambda: [None, None],
    "a nan": lambda: [float("nan"), 1.0],
    "an inf": lambda: [float("inf"), 1.0],
    "a -1": lambda: [-1, 1],
    "a half": lambda: [0.5, 1],
    "a -0.0": lambda: [-0.0, 1.0],
    "a 2**53 + 1": lambda: [2**53 + 1, 1],
    "a 2**64": lambda: [2**64, 1],
    "a 10**400": lambda: [10**400, 1],
    "a 10**5000": lambda: [10**5000, 1],
    "close doubles": lambda: [0.1 + 0.2, 0.3],
    "close integers": lambda: [2**50, 2**50 + 1],
    "a bool": lambda: [True, 2],
    "a text": lambda: ["a", 1],
    "a NUL": lambda: ["a\0", "b"],
    "a NUL after its beginning": lambda: ["a", "a\0b"],
    "a NUL before its beginning": lambda: ["a\0b", "a"],
    "a surrogate": lambda: ["\ud800", "b"],
    "a surrogate after its representation": lambda: ["'\\ud800'", "\ud800"],
    "a complex": lambda: [1j, 1],
    "a Decimal": lambda: [Decimal(1), Decimal(2)],
    "a Decimal NaN": lambda: [Decimal("NaN"), Decimal(2)],
    "a Fraction": lambda: [Fraction(1, 2), Fraction(1, 2)],
    "a list": lambda: [[1], 1],
    "a dict": lambda: [{}, {}],
    "a set": lambda: [{1}, {1}],
    "an object": lambda: [object(), 1],
    "bytes in a list": lambda: [b"\xff", b"a"],
    "an array in a list": lambda: [np.array(1), np.array([1])],
    "a date": lambda: [datetime.date(2020, 1, 1), 1],
    "microseconds": lambda: [datetime.datetime(2020, 1, 1, microsecond=place) for place in (0, 1)],
    "enums": lambda: [Colour.RED, Colour.RED],
    # Arrays of numpy
    "0-d": lambda: np.array(2),
    "0-d of objects": lambda: np.array(None, dtype=object),
    "0-d of text": lambda: np.array("a"),
    "1 value": lambda: np.array([2]),
    "0 rows": lambda: np.empty((0, 3)),
    "0 columns": lambda: np.empty((3, 0)),
    "2-d": lambda: np.ones((2, 2), dtype=np.int64),
    "3-d": lambda: np.ones((2, 2, 2)),
    "matrix": lambda: np.ones((2, 2)).view(np.matrix),
    "2**50 values": lambda: np.broadcast_to(np.float64(1), 2**50),
    "2**50 integers": lambda: np.broadcast_to(np.int64(0), 2**50),
    "structured": lambda: np.zeros(2, dtype=[("a", "i4"), ("b", "f8")]),
    "record": lambda: np.zeros(2, dtype=[("a", "i4")]).view(np.recarray)[0],
    "void": lambda: np.zeros(2, dtype="V3"),
    "objects": lambda: of_objects(object(), None),
    "arrays as objects": lambda: of_objects(np.zeros(2), np.zeros(3)),
    "no objects": lambda: np.empty(0, dtype=object),
    "dates": lambda: np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
    "nanoseconds": lambda: np.array([0, 1], dtype="datetime64[ns]"),
    "texts with NUL": lambda: np.array(["a", "a\0b"]),
    "dates of years": lambda: np.array([2**40, 1], dtype="datetime64[Y]"),
    "times": lambda: np.array([1, 2], dtype="timedelta64[s]"),
    "complex array": lambda: np.array([1j, 1]),
    "float16": lambda: np.array([np.inf, 1], dtype=np.float16),
    "longdoubles": lambda: np.array(["1e4000", "1"], dtype=np.longdouble),
    "uint64s": lambda: np.array([2**64 - 3, 1], dtype=np.uint64),
    "other byte order": lambda: np.array([1, 0], dtype=">i8"),
    "read-only": lambda: read_only(np.array([0, 1])),
    "all masked": lambda: np.ma.masked_all(2, dtype=np.int64),
    "texts": lambda: np.array(["1", "2"]),
    "byte strings": lambda: np.array([b"1", b"\xff"]),
    "dtype": lambda: np.dtype("f8"),
    # pandas
    "Int64 with NA": lambda: pd.Series([1, None], dtype="Int64"),
    "boolean with NA": lambda: pd.array([True, None], dtype="boolean"),
    "string with NA": lambda: pd.array(["a", None], dtype="string"),
    "string with NUL": lambda: pd.array(["a", "a\0b"], dtype="string"),
    "Float64 with NA": lambda: pd.array([0.5, None], dtype="Float64"),
    "categories with NA": lambda: pd.Categorical(["a", None]),
    "intervals": lambda: pd.interval_range(0, 2),
    "periods": lambda: pd.period_range("2020-01", periods=2, freq="M"),
    "zoned dates": lambda: pd.date_range("2020-01-01", periods=2, tz="Asia/Tokyo"),
    "sparse Series": lambda: pd.Series([0, 1], dtype="Sparse[int]"),
    "no Series": lambda: pd.Series([], dtype=float),
    "Series with its own index": lambda: pd.Series([0, 1], index=[7, 7]),
    "MultiIndex": lambda: pd.MultiIndex.from_tuples([(1, 2), (3, 4)]),
    "DataFrame": lambda: pd.DataFrame({"a": [1, 0], "b": ["x", "y"]}),
    "DataFrame of one name": lambda: pd.DataFrame([[1, 0]], columns=["a", "a"]),
    "no DataFrame": lambda: pd.DataFrame(),
    # Matrices of scipy and tensors
    "sparse matrix": lambda: scipy.sparse.eye(2, format="csr"),
    "sparse objects": lambda: scipy.sparse.coo_matrix(([1j], ([0], [0])), shape=(2, 2)),
    "large sparse matrix": lambda: scipy.sparse.csr_matrix((2**20, 2**20)),
    "tensor": lambda: torch.tensor([1, 0]),
    "0-d tensor": lambda: torch.tensor(2),
    "no tensor": lambda: torch.tensor([]),
    "2-d tensor": lambda: torch.ones(2, 2, requires_grad=True),
    "tensor of logical values": lambda: torch.tensor([True, False]),
    "complex tensor": lambda: torch.tensor([1j, 1]),
    "conjugated tensor": lambda: torch.tensor([1j, 1]).conj(),
    "negated tensor": lambda: torch.tensor([1j, 1]).conj().imag,
    "sparse tensor": lambda: torch.eye(2).to_sparse(),
    "sparse vector": lambda: torch.tensor([0, 1]).to_sparse(),
    "sparse CSR tensor": csr_tensor,
    "quantized tensor": quantized_tensor,
    "bfloat16 tensor": lambda: torch.tensor([float("nan"), 1], dtype=torch.bfloat16),
    "tensor without data": lambda: torch.ones(2, device="meta"),
    "list of sparse tensors": lambda: [torch.eye(2).to_sparse()],
    "list of a tensor and a number": lambda: [torch.tensor(1), 1],
    "torch.Size": lambda: torch.Size([1, 0]),
    "torch.dtype": lambda: torch.float32,
    # Anything else
    "object": object,
    "class": lambda: int,
    "function": lambda: len,
    "function of nothing": lambda: nothing,
    "module": lambda: np,
    "ellipsis": lambda: ...,
    "exception": lambda: ValueError("x"),
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
