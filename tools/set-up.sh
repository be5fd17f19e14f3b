#!/usr/bin/env bash
# Installs whatever the project needs and does not find, all of it inside the project's folder where that is possible:
#
#   1. Debian packages, by apt, where the machine has apt and this is root;
#   2. .venv: a Python environment with the project in it, editable and compiled (from PyPI what Debian did not give);
#   3. .r-library: the CRAN packages, only those missing or too old, and the R package rbridge.
#
# Safe to interrupt and to run again. A step whose inputs have not changed since it last succeeded is passed over, so a
# run with nothing to do takes a fraction of a second. Without R or CRAN it goes on with the Python half, and writes to
# .r-library/missing what is missing and how to get it.
#
#   PYTHON=/path/to/python3   which Python to build the environment from (default: Debian's own where there is apt)

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

debian_packages=(
  cython3 flake8 black mypy build-essential
  python3-dev python3-venv python3-pip python3-setuptools python3-wheel
  python3-numpy python3-pandas python3-matplotlib python3-torch python3-rpy2 python3-pytest python3-hypothesis
  python3-skorch python3-imblearn python3-sklearn python3-scipy python3-tqdm python3-yaml lua5.1
  r-base-dev r-cran-roxygen2 r-cran-lintr r-cran-knitr r-cran-rmarkdown pandoc
)
cran_packages=(
  "R6 2.5.0" "aum 2024.6.19" "bit64 4.0.5" "callr 3.7.0" "cli 3.6.0" "coro 1.1.0" "data.table 1.15.0" "future 1.33.0"
  "ggplot2 3.4.0" "jsonlite 1.8.0" "knitr 1.42" "mirai 2.0.0" "mlr3 1.8.0" "mlr3misc 0.15.0" "mlr3pipelines 0.7.0"
  "mlr3torch 0.3.3" "mlr3tuning 1.0.0" "paradox 1.0.0" "reticulate 1.40" "rmarkdown 2.20" "testthat 3.2.0"
  "torch 0.17.0" "withr 3.0.0"
)
# Modules, with the name of their distribution where that is another one.
python_modules="numpy pandas matplotlib torch pytest hypothesis scipy skorch imblearn=imbalanced-learn"
python_modules+=" sklearn=scikit-learn tqdm yaml=PyYAML Cython setuptools wheel black flake8 mypy"
python_imports="numpy pandas matplotlib torch pytest hypothesis pystrat rbridge"

say() { printf 'set-up: %s\n' "$*"; }

# A stamp is a checksum of what a step depends on, written when the step has succeeded.
checksum() { cat "$@" 2>/dev/null | sha256sum | cut -d ' ' -f 1; }
is_done() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }

install_debian_packages() {
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 0
  local installed missing=() package
  installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | tr '\n' ' ')"
  for package in "${debian_packages[@]}"; do
    [[ $installed == *" $package "* ]] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    say "not root, so apt cannot install: ${missing[*]}"
    return 0
  fi
  say "installing Debian packages: ${missing[*]}"
  apt-get update -qq || say "apt-get update failed; going on with the package lists that are there"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" ||
    say "apt could not install all of them; going on with what is there"
}

choose_python() {
  if [ -n "${PYTHON:-}" ]; then
    echo "$PYTHON"
  elif command -v apt-get >/dev/null && [ -x /usr/bin/python3 ]; then
    echo /usr/bin/python3 # the one that Debian's packages belong to, whatever comes first on PATH
  else
    command -v python3 || { say "no python3 was found" >&2; exit 1; }
  fi
}

python_stamp() { # python
  echo "$1 $("$1" -c 'import sys; print(*sys.version_info[:3])') $PWD" \
    "$(find pystrat -name '*.p[yx][xd]' | sort | xargs sha256sum tools/set-up.sh pyproject.toml setup.py | sha256sum)"
}

kernels_are_built() {
  local source
  for source in $(find pystrat -name '*.pyx'); do
    compgen -G "${source%.pyx}.*.so" >/dev/null || return 1
  done
}

set_up_python() {
  local python stamp_file=.venv/stamp stamp
  python=$(choose_python)
  stamp=$(python_stamp "$python")
  if is_done "$stamp_file" "$stamp" && kernels_are_built; then
    return 0
  fi
  if ! .venv/bin/python -c 'import pip' 2>/dev/null; then
    say "creating .venv with $python"
    rm -rf .venv
    "$python" -m venv --system-site-packages .venv
  fi
  rm -f "$stamp_file"
  install_python_modules
  say "compiling and installing the project into .venv"
  .venv/bin/python -m pip install --quiet --no-deps --no-build-isolation --no-index --editable .
  .venv/bin/python -c "import importlib; [importlib.import_module(name) for name in '$python_imports'.split()]"
  echo "$stamp" >"$stamp_file"
}

install_python_modules() {
  local missing
  missing=$(.venv/bin/python -c "
from importlib.util import find_spec
pairs = [entry.partition('=') for entry in '$python_modules'.split()]
print(*(name or module for module, _, name in pairs if find_spec(module) is None))")
  [ -n "$missing" ] || return 0
  say "not among the system's Python packages: $missing; trying PyPI"
  # Names that differ from those on PyPI by capitals alone.
  # shellcheck disable=SC2086
  .venv/bin/python -m pip install ${missing,,} || {
    say "these Python packages are missing and neither apt nor PyPI gave them: $missing"
    exit 1
  }
}

r_is_missing() { # reason, remedy
  mkdir -p .r-library
  printf '%s\n%s\n' "$1" "$2" >.r-library/missing
  say "the R half is not available: $1"
  say "$2"
}

set_up_r() {
  if ! command -v Rscript >/dev/null; then
    r_is_missing "R was not found on PATH." "Install R 4.0 or newer (Debian: apt install r-base-dev) and run this again."
    return 0
  fi
  local version stamp_file=.r-library/stamp stamp
  version=$(R --version | head -n 1)
  stamp="$version $(checksum tools/set-up.sh tools/install_r_packages.R)"
  mkdir -p .r-library/build-logs
  if ! is_done "$stamp_file" "$stamp" || [ ! -d .r-library/mlr3torch ]; then
    rm -f "$stamp_file"
    if ! .venv/bin/python -c 'import importlib.util as u; assert u.find_spec("rpy2")' 2>/dev/null &&
      ! .venv/bin/python -m pip install rpy2; then
      r_is_missing "The Python package rpy2 was not found." "Install it: apt install python3-rpy2, or pip install rpy2."
      return 0
    fi
    if ! Rscript tools/install_r_packages.R .r-library "${cran_packages[@]}" 2>&1 | show_progress; then
      r_is_missing "CRAN packages could not be installed (see above)." \
        "Give R access to CRAN, or install ${cran_packages[*]%% *} into .r-library, and run this again."
      return 0
    fi
    echo "$stamp" >"$stamp_file"
  fi
  install_rbridge "$version"
  rm -f .r-library/missing
}

# Of all that R prints while it builds, show what set-up says and which package's turn it is; keep the rest in a log.
show_progress() {
  tee .r-library/build-logs/install.log | awk '
    /^set-up/ || /^ERROR/ { print; fflush() }
    /^begin installing package/ { printf "set-up (R): package %d: %s\n", ++count, $4; fflush() }'
}

install_rbridge() { # R's version
  local stamp_file=.r-library/stamp-rbridge stamp
  stamp="$1 $(find rbridge/r/DESCRIPTION rbridge/r/NAMESPACE rbridge/r/R rbridge/r/man -type f -print0 | sort -z |
    xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1)"
  if is_done "$stamp_file" "$stamp" && [ -d .r-library/rbridge ]; then
    return 0
  fi
  rm -f "$stamp_file"
  say "installing the R package rbridge into .r-library"
  rm -rf .r-library/00LOCK-rbridge
  R CMD INSTALL --library=.r-library rbridge/r >.r-library/build-logs/rbridge.out 2>&1 || {
    cat .r-library/build-logs/rbridge.out
    exit 1
  }
  echo "$stamp" >"$stamp_file"
}

main() {
  # One set-up at a time in one folder.
  exec 9>.set-up.lock
  if command -v flock >/dev/null; then
    flock -n 9 || { say "waiting for another set-up in this folder"; flock 9; }
  fi
  # Debian's packages are looked at again whenever Python's part is, since the list of them may have changed.
  { [ -f .r-library/stamp ] && is_done .venv/stamp "$(python_stamp "$(choose_python)")"; } || install_debian_packages
  set_up_python
  export R_LIBS="$PWD/.r-library"
  set_up_r
}

main
