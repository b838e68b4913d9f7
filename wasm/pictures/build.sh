#!/bin/sh
# Builds jpeg.wasm (libjpeg-turbo's reader and writer).
#
#   SOURCES=<folder of the source archives> WORK=<empty folder> OUT=<folder> wasm/pictures/build.sh [module…]
#
# README.md lists the packages that the build needs and where the archives come from. The bytes of the results do not
# depend on the folders, the user or the time; prove.sh checks this.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${SOURCES:?}" "${WORK:?}" "${OUT:?}" "${JOBS:=2}"
export LC_ALL=C TZ=UTC SOURCE_DATE_EPOCH=0

SOURCES=$(cd "$SOURCES" && pwd)
(cd "$SOURCES" && sha256sum --check --quiet "$here/sources.sha256")
mkdir -p "$WORK" "$OUT"
WORK=$(cd "$WORK" && pwd)
OUT=$(cd "$OUT" && pwd)

TARGET="--target=wasm32-wasi --sysroot=/usr -msimd128"
# Symbols that no export needs are removed by the linker, function by function. The flags name no folder.
CFLAGS="$TARGET -O3 -DNDEBUG -fno-strict-aliasing -fvisibility=hidden -ffunction-sections -fdata-sections -ffile-prefix-map=$WORK=. -ffile-prefix-map=$here=. -w"
# The host makes the memory: its maximum is the limit of an instance. The stack lies first, so that an overflow traps.
LDFLAGS="$TARGET -nostartfiles -Wl,--no-entry -Wl,--import-memory -Wl,-z,stack-size=131072 -Wl,--stack-first -Wl,--gc-sections -Wl,--strip-all -Wl,--fatal-warnings"

compile() { # compile <folder of the objects> <flags> <sources…>
  objects=$1 flags=$2
  shift 2
  mkdir -p "$objects"
  # No word of the flags and no path has a space in it: both come from this script.
  for source in "$@"; do echo "$source"; done | xargs -P "$JOBS" -I{} sh -c \
    'source=$1; shift; clang-19 "$@" -c "$source" -o "'"$objects"'/$(basename "$source" .c).o"' sh {} $CFLAGS -I"$here/src" $flags
}

link() { # link <result> <bytes of memory at the start> <objects…>
  result=$1 initial=$2
  shift 2
  # The largest memory that a host may give; hosts give less (src/images/codec/picture-codec.ts).
  clang-19 $LDFLAGS "-Wl,--initial-memory=$initial" -Wl,--max-memory=67108864 "$@" -o "$OUT/$result"
}

build_jpeg() {
  tar -xf "$SOURCES/libjpeg-turbo_2.1.5.orig.tar.gz" -C "$WORK"
  jpeg=$WORK/libjpeg-turbo-2.1.5 own=$here/src/jpeg
  sources="jcapimin jcapistd jccoefct jccolor jcdctmgr jchuff jcinit jcmainct jcmarker jcmaster jcomapi jcparam jcphuff
    jcprepct jcsample jdapimin jdapistd jdcoefct jdcolor jddctmgr jdinput jdmainct jdmarker jdmaster jdmerge jdpostct
    jdsample jfdctflt jfdctfst jfdctint jidctflt jidctfst jidctint jidctred jmemmgr jmemnobs jquant1 jquant2 jutils"
  # The library's Arm intrinsics, each given by SIMDe in WebAssembly SIMD.
  vectors="jccolor jcgray jcphuff jcsample jdcolor jdmerge jdsample jfdctfst jfdctint jidctfst jidctint jidctred jquanti"
  # jdhuff.c and jdphuff.c are compiled as parts of entropy-state-*.c.
  compile "$WORK/jpeg" "-DNO_GETENV -DNO_PUTENV -DUSE_CLZ_INTRINSIC -DNEON_INTRINSICS -I$own -I$own/simd -I$jpeg -I$jpeg/simd -I$jpeg/simd/arm" \
    $(for name in $sources; do echo "$jpeg/$name.c"; done) \
    $(for name in $vectors; do echo "$jpeg/simd/arm/$name-neon.c"; done) "$own"/*.c "$own"/simd/*.c "$here/src/room.c"
  link jpeg.wasm 524288 "$WORK"/jpeg/*.o
}

for module in "${@:-jpeg}"; do
  "build_$module"
done
cd "$OUT" && sha256sum ./*.wasm
