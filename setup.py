"""The compiled kernel; everything else about the distribution stands in pyproject.toml."""

import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

optimise = ["/O2"] if sys.platform == "win32" else ["-O3"]
kernels = Extension("pystrat._kernels", ["pystrat/_kernels.pyx"], extra_compile_args=optimise)
# The licence stands here because older and newer setuptools read it from no common form of pyproject.toml.
setup(license="MIT", ext_modules=cythonize([kernels]))
