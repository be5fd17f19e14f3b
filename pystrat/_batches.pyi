from typing import Any, Iterator

from numpy.typing import NDArray

class BatchLists(Iterator[list[int]]):
    def __init__(self, rows: NDArray[Any], offsets: NDArray[Any], first: int, step: int) -> None: ...
    def __next__(self) -> list[int]: ...

def gather_part(
    rows: NDArray[Any], item_size: int, offsets: NDArray[Any], first: int, step: int
) -> tuple[NDArray[Any], NDArray[Any]]: ...
