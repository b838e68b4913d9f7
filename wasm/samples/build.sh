#!/bin/sh
# Builds src/media/dsp/samples.wasm with clang 19 and lld 19 (Debian: clang-19, lld-19), the same bytes each time.
#
#   wasm/samples/build.sh [file]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
# The module has no stack and no data: all memory is the caller's.
clang-19 --target=wasm32 -O3 -msimd128 -nostdlib -ffreestanding \
  -Wl,--no-entry,--import-memory,--strip-all,--stack-first,-z,stack-size=1024 \
  -o "${1:-../../src/media/dsp/samples.wasm}" samples.c
