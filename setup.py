"""The compiled kernels; pyproject.toml has everything else about the distribution."""

import os
import sys
from glob import glob

from Cython.Build import cythonize
from setuptools import Extension, setup

# The C core, which the R package carries and both languages compile.
core = "rbridge/r/src/core"
# Floating point is that of the source: no fused multiplication and addition, no other order.
options = ["/O2"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"]
# The kinds of samplers of the core, each compiled by itself.
sources = {"pystrat._core": sorted(glob("rbridge/r/src/kind_*.c"))}


def module_of(path):
    """Return the name of the module of a file of Cython."""
    return path[: -len(".pyx")].replace("\\", "/").replace("/", ".")


kernels = [
    Extension(
        module_of(path),
        [path, *sources.get(module_of(path), [])],
        include_dirs=[core],
        depends=sorted(glob(f"{core}/**/*.h", recursive=True)),
        extra_compile_args=options,
    )
    for path in sorted(glob("pystrat/**/*.pyx", recursive=True))
]

if __name__ == "__main__":  # the processes in which Cython works may import this file
    # The license is here because older and newer setuptools read it from no common form of pyproject.toml.
    setup(
        license="MIT",
        ext_modules=cythonize(kernels, nthreads=os.cpu_count() or 1),
        options={"build_ext": {"parallel": os.cpu_count() or 1}},
    )
