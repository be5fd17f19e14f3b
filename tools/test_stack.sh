#!/usr/bin/env bash
# Runs the tests in Python with another interpreter and the packages that it has, in a copy of this folder.
#
#   tools/test_stack.sh PYTHON [ARGUMENT ...]    PYTHON: /path/to/python3; the arguments are those of pytest
#
# The copy is build/stack; what PYTHON lacks is installed there, in an environment of its own. The last lines are the
# versions and the result, for a row of the table in docs/compatibility.md.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[ -n "${1:-}" ] || { echo "usage: make test-stack STACK=/path/to/python3" >&2; exit 2; }
interpreter=$(command -v "$1") || { echo "test-stack: $1 was not found" >&2; exit 2; }
shift

rm -rf build/stack
mkdir -p build/stack
git ls-files -z --cached --others --exclude-standard --deduplicate |
  tar --create --null --files-from=- --ignore-failed-read 2>/dev/null | tar --extract --directory=build/stack
cd build/stack
PYTHON=$interpreter tools/set-up.sh test-python
status=0
.venv/bin/python -m pytest -n auto --dist loadgroup --ignore tests/bridge "$@" | tee result.log || status=$?
.venv/bin/python --version
.venv/bin/python -m pip list | grep -E '^(numpy|pandas|torch|scipy|scikit-learn|matplotlib|rpy2) '
tail -n 1 result.log
exit $status
