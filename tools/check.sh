#!/usr/bin/env bash
# Format, lint and type checks of both languages. Every check runs; the exit status tells whether all passed.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=.venv/bin/python
sources=(pystrat rbridge tests benchmarks data-raw setup.py)
failed=()

check() { # name, command...
  local name=$1
  shift
  printf 'check: %s\n' "$name"
  "$@" || failed+=("$name")
}

# The kernel must compile without a warning, whatever the set-up compiled it with.
compile_kernel_strictly() {
  local folder include
  folder=$(mktemp -d)
  include=$($python -c 'import sysconfig; print(sysconfig.get_path("include"))')
  cp pystrat/_kernels.pyx "$folder" &&
    PYTHONWARNINGS=ignore $python -m cython -3 "$folder/_kernels.pyx" -o "$folder/_kernels.c" &&
    cc -O3 -Wall -Werror -fPIC -I"$include" -c "$folder/_kernels.c" -o "$folder/_kernels.o"
  local status=$?
  rm -rf "$folder"
  return $status
}

check "format (black)" $python -m black --quiet --check --diff "${sources[@]}"
check "lint (flake8)" $python -m flake8 "${sources[@]}"
check "types (mypy)" $python -m mypy
check "kernel without warnings" compile_kernel_strictly
check "shell scripts parse" bash -n tools/set-up.sh tools/check.sh .ci/run
check "R: style and documentation" Rscript tools/check_r.R

if [ ${#failed[@]} -gt 0 ]; then
  printf 'check: FAILED: %s\n' "${failed[@]}"
  exit 1
fi
echo "check: all passed"
