"""The compiled kernel; everything else about the distribution stands in pyproject.toml."""

import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

optimise = ["/O2"] if sys.platform == "win32" else ["-O3"]
kernels = Extension("pystrat._kernels", ["pystrat/_kernels.pyx"], extra_compile_args=optimise)
setup(ext_modules=cythonize([kernels]))
