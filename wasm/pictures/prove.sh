#!/bin/sh
# Builds the modules again, in a folder with a name of its own, and compares them with the committed modules, which were
# built in another folder, by their hashes.
#
#   wasm/pictures/prove.sh <folder of the source archives>
#
# Ends with 0 if all are equal. Takes about 20 seconds of CPU time.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
SOURCES=$(cd "$1" && pwd)
export SOURCES
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
WORK=$folder/work OUT=$folder/out "$here/build.sh" >"$folder/log" 2>&1 || {
  tail -40 "$folder/log"
  exit 1
}
cd "$folder/out" && sha256sum --check "$here/modules.sha256"
