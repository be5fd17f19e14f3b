"""The bridge from Python to R: Python batch samplers as generators of R's ``torch::sampler``.

Importing this package does not start R. A call that needs R starts it inside this process, through rpy2. If R or rpy2
is missing, the call raises `RNotAvailableError` with advice; `r_status` reports what is installed.
"""

from rbridge._install import RNotAvailableError, install_r_package
from rbridge.session import RError
from rbridge.torch_sampler import as_torch_sampler, collect_rows
from rbridge.export import export_r
from rbridge.status import r_status

__all__ = [
    "RError",
    "RNotAvailableError",
    "as_torch_sampler",
    "collect_rows",
    "export_r",
    "install_r_package",
    "r_status",
]
