#!/usr/bin/env bash
# R CMD check of the built R package on CRAN's terms: without Python and LibTorch, and with nothing of this user.
#
#   tools/check_cran.sh             with the packages of .r-library
#   tools/check_cran.sh --no-tests  the same, without running its tests
#   tools/check_cran.sh --depends   with those alone that the package cannot do without (_R_CHECK_DEPENDS_ONLY_)
#
# The exit status is 0 if there is no error, no warning and no note, and if no file was left outside of R's temporary
# folder.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder"/{home,tmp,check}

settings=(
  PATH="$PATH" HOME="$folder/home" TMPDIR="$folder/tmp" LANG=C.UTF-8 TZ=UTC
  R_LIBS="${R_LIBS:-$PWD/.r-library}"
  TORCH_HOME="$folder/no-libtorch"
  # Tests call most functions once or twice, for which it does not pay to compile them.
  R_ENABLE_JIT=0
  # CRAN's server knows which packages are new; the clock of another one is not asked either.
  _R_CHECK_CRAN_INCOMING_REMOTE_=false _R_CHECK_SYSTEM_CLOCK_=false
  _R_CHECK_THINGS_IN_TEMP_DIR_=true _R_CHECK_THINGS_IN_CHECK_DIR_=true
  # CRAN allows 5 seconds for an example. Each takes less than 1; here, other checks run at the same time.
  _R_CHECK_EXAMPLE_TIMING_THRESHOLD_=60
  # The help pages have no formulas, and to check those needs the package V8.
  _R_CHECK_RD_MATH_RENDERING_=false
  # Debian's R compiles with debugging symbols. CRAN's limit of 5 MB is one of data and documentation.
  _R_SHLIB_STRIP_=true R_STRIP_SHARED_LIB="strip --strip-debug"
  # Flags that Debian builds R with.
  _R_CHECK_COMPILATION_FLAGS_KNOWN_="-Wformat -Wdate-time -Werror=format-security -mno-omit-leaf-frame-pointer"
)
command -v tidy >/dev/null || settings+=(_R_CHECK_RD_VALIDATE_RD2HTML_=false)
options=(--as-cran --no-manual)
case ${1:-} in
  --no-tests) options+=(--no-tests) ;;
  --depends) # vignettes are rendered by a suggested package, rmarkdown
    settings+=(_R_CHECK_DEPENDS_ONLY_=true)
    options+=(--ignore-vignettes)
    ;;
esac

(
  cd "$folder/check"
  # To build the vignettes, R compiles the package, which need not be fast.
  R_MAKEVARS_USER=$OLDPWD/tools/Makevars R CMD build "$OLDPWD/rbridge/r" >build.log 2>&1 || { cat build.log; exit 1; }
  env -i "${settings[@]}" R CMD check "${options[@]}" rbridge_*.tar.gz >check.log 2>&1 || true
)
left=$(find "$folder/home" -mindepth 1)
if ! grep -q '^Status: OK' "$folder/check/check.log" || [ -n "$left" ]; then
  cat "$folder/check/check.log"
  cat "$folder"/check/rbridge.Rcheck/00install.out "$folder"/check/rbridge.Rcheck/tests/*.fail 2>/dev/null || true
  [ -z "$left" ] || echo "left in the home folder: $left"
  exit 1
fi
