#!/usr/bin/env bash
# Checks of both languages, side by side: format, lint, types, spelling, R CMD check without the tests, and the core
# under sanitizers. Every check runs; the exit status says whether all passed.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=.venv/bin/python
sources=(pystrat rbridge tests benchmarks examples data-raw vignettes tools setup.py)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
names=()

# Starts a check; its output is shown when all checks have ended.
check() { # name, command...
  local place=${#names[@]}
  names+=("$1")
  shift
  { "$@" >"$folder/$place.out" 2>&1 && touch "$folder/$place.passed"; } &
}

warnings=(-std=c++17 -Wall -Wextra -Wconversion -pedantic -Werror -fsyntax-only)

# Set-up compiled the core with -Wall; its log has all warnings of Cython and of the compiler.
kernels_are_without_warnings() {
  [ -f build/set-up/kernels.log ] &&
    ! grep -E -A 5 '\.([ch]pp|h|pyx):[0-9]+:[0-9]+: warning:|warning: .*\.pyx:[0-9]+' build/set-up/kernels.log
}

# Each header and kind of the core includes what it needs.
core_is_without_warnings() {
  local source compiler failed=0
  for source in rbridge/r/src/*/*.hpp rbridge/r/src/*/*.cpp; do
    for compiler in g++ clang++; do
      $compiler "${warnings[@]}" -include "$source" -x c++ /dev/null || failed=1
    done
  done
  return $failed
}

# Lintr sees the R code of the package; this, every line of C++ and R.
lines_are_short() {
  local long
  long=$(git ls-files '*.h' '*.cpp' '*.hpp' '*.R' | LC_ALL=C.UTF-8 xargs grep -nE '^.{121,}$' /dev/null)
  [ -z "$long" ] || { echo "Lines of more than 120 columns:" && echo "$long" && return 1; }
}

r_sources_are_without_warnings() {
  local compiler failed=0 include
  include=$(Rscript -e 'cat(R.home("include"))')
  for compiler in g++ clang++; do
    $compiler "${warnings[@]}" -isystem "$include" rbridge/r/src/binding.cpp || failed=1
  done
  return $failed
}

check "format (black)" $python -m black --quiet --check --diff "${sources[@]}"
check "lint (flake8)" $python -m flake8 "${sources[@]}"
check "types (mypy)" $python -m mypy
check "types of set-up (mypy)" env MYPYPATH=tools/set_up $python -m mypy --config-file= --cache-dir=.mypy_cache/set-up --strict tools/set_up/*.py
check "types of the site (mypy)" env MYPYPATH=tools/site $python -m mypy --cache-dir=.mypy_cache/site tools/site/*.py
check "kernels without warnings" kernels_are_without_warnings
check "core without warnings" core_is_without_warnings
check "core under sanitizers" $python -m tests.core gcc
check "binding of R without warnings" r_sources_are_without_warnings
check "lines of C++ and R" lines_are_short
check "shell scripts parse" bash -n tools/*.sh .ci/run
check "spelling" Rscript tools/spelling.R
check "R: style and documentation" Rscript tools/check_r.R
check "R: the package on CRAN's terms, without its tests" tools/check_cran.sh --no-tests

wait

failed=0
for place in "${!names[@]}"; do
  result=passed
  [ -f "$folder/$place.passed" ] || { result=FAILED; failed=1; }
  printf 'check: %s: %s\n' "${names[$place]}" "$result"
  [ $result = passed ] || cat "$folder/$place.out"
done
[ $failed -eq 0 ] && echo "check: all passed"
exit $failed
