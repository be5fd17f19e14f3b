"""Prints the versions of Python and of the packages that the tests meet, as the columns of docs/compatibility.md."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("numpy", "pandas", "torch", "scipy", "scikit-learn", "matplotlib", "rpy2")


def version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


if __name__ == "__main__":
    print(", ".join([f"Python {platform.python_version()}", *(f"{name} {version_of(name)}" for name in PACKAGES)]))
