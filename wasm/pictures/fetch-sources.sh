#!/bin/sh
# Brings the source archives of sources.sha256 into a folder, from Debian's archive as this machine's apt knows it. The
# machine's own configuration stays as it is: the lists of sources are kept in the folder.
#
#   wasm/pictures/fetch-sources.sh <folder>
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
if sha256sum --check --quiet --status "$here/sources.sha256" 2>/dev/null; then
  exit 0
fi
mkdir -p apt/lists/partial apt/parts
cat /etc/apt/sources.list /etc/apt/sources.list.d/debian.list 2>/dev/null | sed -n 's/^deb /deb-src /p' >apt/sources.list
if [ -e /etc/apt/sources.list.d/debian.sources ]; then
  sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >apt/parts/debian.sources
fi
# apt drops its rights for a download, and then may not write into the folder of another user.
set -- -q -o "Dir::Etc::sourcelist=$PWD/apt/sources.list" -o "Dir::Etc::sourceparts=$PWD/apt/parts" \
  -o "Dir::State::lists=$PWD/apt/lists" -o APT::Sandbox::User=root
apt-get "$@" update >&2
# The revisions are pinned: README.md states how they follow the advisories.
apt-get "$@" source --download-only libjpeg-turbo=1:2.1.5-2 libwebp=1.2.4-0.2+deb12u1 dav1d=1.0.0-2+deb12u1 >&2
sha256sum --check --quiet "$here/sources.sha256"
