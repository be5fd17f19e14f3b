"""The compiled core, and the README for a package index; pyproject.toml has everything else."""

import re
import sys
from glob import glob
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

# The core, which the R package carries and both languages compile.
sources = "rbridge/r/src/*/*"
# Floating point is that of the source: no fused multiplication and addition, no other order. Debugging information
# would make a wheel three times as large.
options = ["/O2", "/std:c++17"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off", "-g0", "-std=c++17"]


def description(readme, project):
    """Return the README for pages outside the repository, to which its links lead if pyproject.toml names it."""
    source = re.search(r'^Source = "(.*)"$', project, flags=re.MULTILINE)

    def absolute(link):
        mark, text, path = link.groups()
        if source is None:
            return text
        return f"{mark}[{text}]({source[1]}/{'raw' if mark else 'blob'}/HEAD/{path})"

    return re.sub(r"(!?)\[([^]]*)\]\((?!https?:)([^)]*)\)", absolute, readme)


core = Extension(
    "pystrat._core",
    ["pystrat/_core.pyx", *sorted(glob(f"{sources}.cpp"))],
    include_dirs=["rbridge/r/src/core"],
    depends=sorted(glob(f"{sources}.h*")),
    extra_compile_args=options,
)

if __name__ == "__main__":  # a test imports the description
    # The license is here because older and newer setuptools read it from no common form of pyproject.toml.
    setup(
        license="MIT",
        long_description=description(
            *(Path(name).read_text(encoding="utf-8") for name in ("README.md", "pyproject.toml"))
        ),
        long_description_content_type="text/markdown",
        # A source distribution has the files of Cython, not what Cython makes of them.
        ext_modules=[core] if "sdist" in sys.argv else cythonize([core]),
    )
