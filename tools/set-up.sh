#!/usr/bin/env bash
# Finds a Python, and runs tools/set_up/__main__.py with it, which installs what the given targets need.
#
#   tools/set-up.sh [TARGET ...]      install what these targets of the Makefile need; by default, all of them
#   PYTHON=/path/to/python3           the Python to build the environment from

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

have() { command -v "$1" >/dev/null 2>&1; }

# Prints the command that installs a program with the available package manager.
how_to_get() { # git, make, cc, python3 or Rscript
  if have apt-get; then
    case $1 in cc) set -- gcc ;; Rscript) set -- r-base-dev ;; esac
    echo "sudo apt-get install $1"
  elif have dnf; then
    case $1 in cc) set -- gcc ;; python3) set -- python3-devel ;; Rscript) set -- R-core-devel ;; esac
    echo "sudo dnf install $1"
  elif [ "$(uname)" = Darwin ]; then
    case $1 in git | make | cc) echo "xcode-select --install" ;; python3) echo "brew install python" ;; *) echo "brew install r" ;; esac
  else
    echo "use the package manager of your system"
  fi
}

is_root_of_debian() { have apt-get && [ "$(id -u)" -eq 0 ]; }

# Debian's packages belong to Debian's Python, whatever comes first on PATH.
python=${PYTHON:-}
if [ -z "$python" ] && have apt-get; then
  python=/usr/bin/python3
  if [ ! -x $python ] && is_root_of_debian; then
    echo "set-up: installing Python from Debian"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 >/dev/null 2>&1; } ||
      echo "set-up: apt-get could not install python3"
  fi
fi
python=${python:-python3}

# As root on a Debian machine, set-up installs the other programs.
if ! is_root_of_debian || ! have "$python"; then
  absent=0
  for program in git make cc "$python" Rscript; do
    have "$program" && continue
    [ "$program" = "$python" ] && program=python3
    echo "set-up: $program was not found. To get it: $(how_to_get "$program")"
    [ "$program" = Rscript ] || absent=1 # without R, the Python half works
  done
  [ $absent -eq 0 ] || exit 1
fi

exec "$python" tools/set_up "$@"
