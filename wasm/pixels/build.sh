#!/bin/sh
# Builds src/images/pixels/pixels.wasm with clang 19 and lld 19 (Debian: clang-19, lld-19), the same bytes each time.
#
#   wasm/pixels/build.sh [file]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
# The module has no stack and no data: all memory is the caller's. Sums of doubles are those of JavaScript: nothing is fused.
clang-19 --target=wasm32 -O3 -msimd128 -mbulk-memory -ffp-contract=off -fno-vectorize -fno-slp-vectorize \
  -nostdlib -ffreestanding -Wall -Wextra -Werror \
  -Wl,--no-entry,--import-memory,--strip-all,--stack-first,-z,stack-size=1024 \
  -o "${1:-../../src/images/pixels/pixels.wasm}" scale.c blend.c rows.c colors.c
