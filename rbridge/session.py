"""R inside this process: started once, called on the main thread, errors and warnings passed on in full.

Only the low-level interface of rpy2 is used, and vectors cross by memory view, so there are no conversion rules.
"""

from __future__ import annotations

import numbers
import os
import threading
import warnings
from functools import lru_cache, wraps
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat import __version__
from rbridge._install import RNotAvailableError, find_r, install_r_package

# R's torch and Python's torch in one process clash unless they share one LibTorch, so R's is kept from loading its own,
# unless the user has configured it.
_TORCH_SETTINGS = {"TORCH_LOAD": "0", "TORCH_INSTALL": "0", "TORCH_VERIFY_LOAD": "FALSE"}


class RError(RuntimeError):
    """An error in R, with R's text.

    `r_class` has the classes of R's condition.
    """

    def __init__(self, message: str, r_class: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.r_class = r_class


def errors_as_values(function: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    """Wrap a function that R calls: it returns ``{"value": ...}``, or ``{"error": ...}``, which R raises in full."""

    @wraps(function)
    def guarded(*arguments: Any, **named: Any) -> dict[str, Any]:
        try:
            return {"value": function(*arguments, **named)}
        except Exception as error:  # raised on the other side; bytes in file names that are not characters are escaped
            text = f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace").decode("utf-8")
            return {"error": text}

    return guarded


class Session:
    """R, with the namespace of the R package ``rbridge``."""

    def __init__(self, rinterface: Any) -> None:
        self.rinterface = rinterface
        # R holds only the address of a Python function, and may use it as long as R runs.
        self._callbacks: list[Any] = []
        try:
            self._namespace = self._load_package()
            rinterface.baseenv["loadNamespace"]("torch")  # torch reads the settings when it is loaded
        except rinterface.embedded.RRuntimeError as error:
            raise RNotAvailableError(f"R could not load the packages rbridge and torch: {error}") from error

    def _load_package(self) -> Any:
        """Load the installed R package if it has this version, else the one in the user's cache."""
        base = self.rinterface.baseenv
        if "rbridge" in tuple(base["loadedNamespaces"]()):
            loaded = base["as.character"](base["getNamespaceVersion"]("rbridge"))[0]
            if loaded != __version__:
                raise RNotAvailableError(
                    f"R has loaded version {loaded} of the R package rbridge, but this Python package needs "
                    f"{__version__}. Restart R without it, or install the same version of both."
                )
            return base["asNamespace"]("rbridge")
        installed = base["suppressWarnings"](base["system.file"]("DESCRIPTION", package="rbridge"))[0]
        if not installed or base["read.dcf"](installed, "Version")[0] != __version__:
            library = str(install_r_package())
            # callr and future pass on `.libPaths()`; the daemons of mirai inherit only the environment.
            base[".libPaths"](self.rinterface.StrSexpVector([library, *base[".libPaths"]()]))
            inherited = base["Sys.getenv"]("R_LIBS")[0]
            base["Sys.setenv"](R_LIBS=os.pathsep.join(filter(None, [library, inherited])))
        return base["loadNamespace"]("rbridge")

    def call(self, name: str, /, *arguments: Any, **named: Any) -> Any:
        """Call a function of the R package; raise `RError` with R's text if it fails.

        Arguments are None, bool, str, int and float (both as R's double), sequences of str, one-dimensional arrays of
        uint8, int32 and float64, and R objects. The value is an R object.
        """
        return self.call_function(self._namespace[name], *arguments, **named)

    def call_function(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call an R function, as `call` does."""
        by_name = {name: self.to_r(argument) for name, argument in named.items()}
        found = self._namespace["guarded_call"](function, *map(self.to_r, arguments), **by_name)
        result = dict(zip(found.names, found))
        if "error" in result:
            raise RError("".join(result["error"]), tuple(result["class"]))
        for message in result["warnings"]:
            warnings.warn(message, stacklevel=4)  # the caller of `collect_rows` or a similar function
        return result["value"]

    def callback(self, function: Callable[..., Any]) -> Any:
        """Wrap a Python function for R, which is kept until the process ends."""
        guarded = errors_as_values(lambda *arguments: self.to_r(function(*arguments)))
        wrapped = self.rinterface.rternalize(lambda *arguments: self.named_list(**guarded(*arguments)))
        self._callbacks.append(wrapped)
        return wrapped

    def named_list(self, /, **elements: Any) -> Any:
        """Return an R list; any name is allowed, including `self`."""
        values = self.rinterface.ListSexpVector(list(map(self.to_r, elements.values())))
        values.names = self.rinterface.StrSexpVector(list(elements))
        return values

    def to_r(self, value: Any) -> Any:
        """Return a plain value or an array as an R object."""
        r = self.rinterface
        if value is None:
            return r.NULL
        if isinstance(value, bool):
            return r.BoolSexpVector([value])
        if isinstance(value, numbers.Real):
            return r.FloatSexpVector([float(value)])
        if isinstance(value, np.ndarray):
            kinds = {"uint8": r.ByteSexpVector, "int32": r.IntSexpVector, "float64": r.FloatSexpVector}
            return kinds[value.dtype.name].from_memoryview(np.ascontiguousarray(value).data)
        if isinstance(value, Sequence) and not isinstance(value, r.Sexp):
            return r.StrSexpVector([value] if isinstance(value, str) else list(value))
        return value


def as_array(vector: Any) -> NDArray[Any]:
    """Copy an R vector of integers or doubles."""
    if len(vector) == 0:  # Python has no view of an empty vector
        return np.empty(0, dtype=np.int32 if vector.typeof.name == "INTSXP" else np.float64)
    return np.array(vector.memoryview())


def session() -> Session:
    """Return the one session of this process; R is started unless it already runs."""
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("R runs in the main thread only. Call rbridge there.")
    return _only_session()


@lru_cache(maxsize=None)
def _only_session() -> Session:
    added = {name: value for name, value in _TORCH_SETTINGS.items() if name not in os.environ}
    os.environ.update(added)
    try:
        return Session(_start_r())
    finally:  # child processes are not affected
        for name in added:
            del os.environ[name]


def _start_r() -> Any:
    if find_r() is None:  # checked before importing rpy2, which ends the process if R_HOME is invalid
        raise RNotAvailableError("R was not found on PATH nor in R_HOME. Install R 4.0 or newer; see r_status().")
    try:
        with warnings.catch_warnings():  # about variables that R sets itself, for example if R runs Python
            warnings.filterwarnings("ignore", 'Environment variable ".*" redefined by R')
            from rpy2 import rinterface

            rinterface.initr()
        return rinterface
    except ModuleNotFoundError as error:
        advice = "Install it: pip install 'pystrat[r]', or apt install python3-rpy2."
        raise RNotAvailableError(f"{error.name} is not installed. {advice}") from error
    except Exception as error:  # rpy2 raises whatever its search for R's shared library raised
        problem = f"rpy2 could not start R ({type(error).__name__}: {error})."
        raise RNotAvailableError(f"{problem} Install R 4.0 or newer, with R on PATH.") from error
