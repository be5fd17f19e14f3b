#!/usr/bin/env bash
# Format, lint and type checks of both languages. Every check runs; the exit status tells whether all passed.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=.venv/bin/python
sources=(pystrat rbridge tests benchmarks examples data-raw vignettes setup.py)
failed=()

check() { # name, command...
  local name=$1
  shift
  printf 'check: %s\n' "$name"
  "$@" || failed+=("$name")
}

# The kernels must compile without a warning, whatever the set-up compiled them with.
compile_kernels_strictly() {
  local folder include source name status=0
  folder=$(mktemp -d)
  include=$($python -c 'import sysconfig; print(sysconfig.get_path("include"))')
  for source in $(find pystrat -name '*.pyx'); do
    name=$folder/$(basename "$source" .pyx)
    PYTHONWARNINGS=ignore $python -m cython -3 "$source" -o "$name.c" &&
      cc -O3 -Wall -Werror -fPIC -I"$include" -c "$name.c" -o "$name.o" || status=1
  done
  rm -rf "$folder"
  return $status
}

check "format (black)" $python -m black --quiet --check --diff "${sources[@]}"
check "lint (flake8)" $python -m flake8 "${sources[@]}"
check "types (mypy)" $python -m mypy
check "kernels without warnings" compile_kernels_strictly
check "shell scripts parse" bash -n tools/set-up.sh tools/check.sh .ci/run
check "R: style and documentation" Rscript tools/check_r.R

if [ ${#failed[@]} -gt 0 ]; then
  printf 'check: FAILED: %s\n' "${failed[@]}"
  exit 1
fi
echo "check: all passed"
