#!/bin/sh
# Builds the modules twice, in two folders whose names have different lengths, and compares both results with the
# committed modules by their hashes.
#
#   wasm/ffmpeg/prove.sh <folder of the source archives>
#
# Ends with 0 if all are equal. Takes about two minutes of CPU time.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
SOURCES=$(cd "$1" && pwd)
export SOURCES
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for name in one another-folder; do
  WORK=$folder/$name/work OUT=$folder/$name/out "$here/build.sh" >"$folder/$name.log" 2>&1 || {
    tail -40 "$folder/$name.log"
    exit 1
  }
  (cd "$folder/$name/out" && sha256sum --check "$here/modules.sha256")
done
