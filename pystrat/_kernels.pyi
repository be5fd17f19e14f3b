from typing import Any

from numpy.typing import NDArray

def number_texts(values: list[Any], codes: NDArray[Any]) -> list[str]: ...
