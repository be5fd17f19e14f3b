"""The compiled kernels, and the README for a package index; pyproject.toml has everything else."""

import os
import re
import sys
from glob import glob
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

# The core, which the R package carries and both languages compile.
core = "rbridge/r/src/core"
# Floating point is that of the source: no fused multiplication and addition, no other order. Debugging information
# would make a wheel three times as large.
options = ["/O2"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off", "-g0"]
options_of_cpp = ["/std:c++17"] if sys.platform == "win32" else ["-std=c++17"]
# The kinds of samplers of the core, each compiled by itself.
sources = {"pystrat._kinds": sorted(glob("rbridge/r/src/*/*.cpp"))}


def module_of(path):
    """Return the name of the module of a file of Cython."""
    return path[: -len(".pyx")].replace("\\", "/").replace("/", ".")


def description(readme, project):
    """Return the README for pages outside the repository, to which its links lead if pyproject.toml names it."""
    source = re.search(r'^Source = "(.*)"$', project, flags=re.MULTILINE)

    def absolute(link):
        mark, text, path = link.groups()
        if source is None:
            return text
        return f"{mark}[{text}]({source[1]}/{'raw' if mark else 'blob'}/HEAD/{path})"

    return re.sub(r"(!?)\[([^]]*)\]\((?!https?:)([^)]*)\)", absolute, readme)


kernels = [
    Extension(
        module_of(path),
        [path, *sources.get(module_of(path), [])],
        include_dirs=[core],
        depends=sorted(glob("rbridge/r/src/*/*.h*" if module_of(path) == "pystrat._kinds" else f"{core}/*.h")),
        extra_compile_args=options + (options_of_cpp if module_of(path) == "pystrat._kinds" else []),
    )
    for path in sorted(glob("pystrat/**/*.pyx", recursive=True))
]

if __name__ == "__main__":  # the processes in which Cython works may import this file
    # The license is here because older and newer setuptools read it from no common form of pyproject.toml.
    setup(
        license="MIT",
        long_description=description(
            *(Path(name).read_text(encoding="utf-8") for name in ("README.md", "pyproject.toml"))
        ),
        long_description_content_type="text/markdown",
        # A source distribution has the files of Cython, not what Cython makes of them.
        ext_modules=kernels if "sdist" in sys.argv else cythonize(kernels, nthreads=os.cpu_count() or 1),
        options={"build_ext": {"parallel": os.cpu_count() or 1}},
    )
