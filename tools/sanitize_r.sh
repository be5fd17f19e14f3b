#!/usr/bin/env bash
# Runs the compiled code of the R package under AddressSanitizer and UndefinedBehaviorSanitizer, on files of recipes that
# others could have changed. Usage: tools/sanitize_r.sh [number of files] [seed]
# The package is compiled in a temporary copy, into a temporary library. R itself is not instrumented.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir "$folder/library" "$folder/rbridge"
for part in DESCRIPTION NAMESPACE LICENSE R src; do cp -r "rbridge/r/$part" "$folder/rbridge/"; done

flags="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
printf 'CXX17 = g++\nCXX17FLAGS = %s\nLDFLAGS += -fsanitize=address,undefined\n' "$flags" >"$folder/Makevars"
R_MAKEVARS_USER="$folder/Makevars" MAKEFLAGS="-j2" R CMD INSTALL --no-docs --no-test-load --no-byte-compile \
  --library="$folder/library" "$folder/rbridge" >"$folder/install.log" 2>&1 || { cat "$folder/install.log"; exit 1; }

# R frees nothing at its end, so leaks are not reported.
ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 LD_PRELOAD="$(gcc -print-file-name=libasan.so)" \
  R_LIBS="$folder/library:${R_LIBS:-}" R_ENABLE_JIT=0 TORCH_LOAD=0 \
  Rscript tools/sanitize_r.R "$folder/library" "${1:-1500}" "${2:-1}"
