#!/usr/bin/env bash
# What needs an hour, before a release: the tests of both languages with all their examples and cases, the core under
# sanitizers of two compilers, the compiled R package under sanitizers, contracted arithmetic, and R CMD check with all
# packages and with few. Everything runs; the exit status says whether all passed.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export THOROUGH=1 R_ENABLE_JIT=0
python=$PWD/.venv/bin/python
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

run() { # name, command...
  local name=$1 result=passed
  shift
  "$@" >"$folder/out" 2>&1 || { result=FAILED; failed=1; }
  printf 'thorough: %s: %s\n' "$name" "$result"
  [ $result = passed ] || cat "$folder/out"
}

# No result depends on whether the compiler contracts multiplications and additions, as those of R packages may.
contracted_python_gives_the_same() {
  local contracted='-ffp-contract=fast"'
  [ "$(uname -m)" != x86_64 ] || contracted+=', "-mfma"'
  mkdir "$folder/contracted"
  git ls-files -z --cached --others --exclude-standard | xargs -0 cp -P --parents -t "$folder/contracted"
  (
    cd "$folder/contracted" &&
      sed -i "s/-ffp-contract=off\"/$contracted/" setup.py && grep -q -- "$contracted" setup.py &&
      "$python" setup.py build_ext --inplace &&
      THOROUGH=0 "$python" -m pytest -n auto tests/test_golden.py tests/{corpus,pairs,stratified,stream,tree,weighted}
  )
}

run "Python tests" "$python" -m pytest -n auto --dist loadgroup --ignore tests/bridge
run "tests of Python and R together" "$python" -m pytest -n auto --dist loadfile tests/bridge/test_installation.py tests/bridge
run "R tests" Rscript tools/test_r.R
for compiler in gcc clang; do
  run "core under the sanitizers of $compiler" "$python" -m tests.core $compiler 2500
done
# By Debian's g++-mingw-w64-x86-64-posix and wine.
run "core on Windows" "$python" -m tests.core windows 100
run "Python tests with contracted arithmetic" contracted_python_gives_the_same
run "R: the package on CRAN's terms" tools/check_cran.sh
run "R: the package without suggested packages" tools/check_cran.sh --depends
run "R: the compiled code under sanitizers" tools/sanitize_r.sh

[ $failed -eq 0 ] && echo "thorough: all passed"
exit $failed
