from typing import Any, Mapping, Sequence

from numpy.typing import NDArray

def plan(
    kind: str, arguments: dict[str, Any], data: Mapping[str, NDArray[Any]], names: Sequence[str]
) -> tuple[dict[str, Any], str]: ...

class Instance:
    def __init__(self, kind: str, parts: Mapping[str, Any], seed: int) -> None: ...
    def draw(self, epoch: int) -> dict[str, NDArray[Any]]: ...
