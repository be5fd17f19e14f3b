"""The bridge from Python to R: a Python batch sampler as an R ``torch::sampler`` generator.

Nothing of R is touched at import. A call that needs R starts it inside this process, through rpy2; where R or rpy2 is
missing, the call raises `RNotAvailableError`, which says what to do, and `r_status` tells what was found.
"""

from rbridge._install import RNotAvailableError, install_r_package
from rbridge.session import RError
from rbridge.torch_sampler import as_torch_sampler, collect_rows
from rbridge.export import export_r
from rbridge.status import RStatus, r_status

__all__ = [
    "RError",
    "RNotAvailableError",
    "RStatus",
    "as_torch_sampler",
    "collect_rows",
    "export_r",
    "install_r_package",
    "r_status",
]
