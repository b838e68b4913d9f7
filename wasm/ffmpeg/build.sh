#!/bin/sh
# Builds sound.wasm and pictures.wasm (FFmpeg's decoders) and opus.wasm (libopus' encoder).
#
#   SOURCES=<folder of the source archives> WORK=<empty folder> OUT=<folder> wasm/ffmpeg/build.sh
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
CFLAGS="$TARGET -O3 -DNDEBUG -fvisibility=hidden -ffunction-sections -fdata-sections -ffile-prefix-map=$WORK=. -ffile-prefix-map=$here=. -w"
# The host makes the memory: its maximum is the limit of an instance. The stack lies first, so that an overflow traps.
LDFLAGS="$TARGET -nostartfiles -Wl,--no-entry -Wl,--import-memory -Wl,-z,stack-size=262144 -Wl,--stack-first -Wl,--gc-sections -Wl,--strip-all -Wl,--fatal-warnings"

link() { # link <result> <bytes of memory at the start> <objects and libraries…>
  result=$1 initial=$2
  shift 2
  # The largest memory that a host may give; hosts give less (src/media/codec/ffmpeg).
  clang-19 $LDFLAGS "-Wl,--initial-memory=$initial" -Wl,--max-memory=134217728 "$@" -o "$OUT/$result"
}

build_ffmpeg() {
  tar -xf "$SOURCES/ffmpeg_5.1.9.orig.tar.xz" -C "$WORK"
  cd "$WORK/ffmpeg-5.1.9"
  for patch in "$here"/patches/*.patch; do
    patch -p1 --quiet <"$patch"
  done
  # License: LGPL 2.1 or later, because --enable-gpl, --enable-version3 and --enable-nonfree are absent.
  ./configure --enable-cross-compile --target-os=none --arch=wasm \
    --cc=clang-19 --ld=clang-19 --ar=llvm-ar-19 --ranlib=llvm-ranlib-19 --nm=llvm-nm-19 --strip=true \
    --extra-cflags="$CFLAGS" --extra-ldflags="$TARGET" --optflags=-O3 \
    --disable-everything --disable-autodetect --disable-network --disable-programs --disable-doc \
    --disable-pthreads --disable-asm --disable-inline-asm --disable-debug --disable-error-resilience \
    --disable-avdevice --disable-avformat --disable-avfilter --disable-swscale --disable-swresample --disable-postproc \
    --disable-runtime-cpudetect --disable-iconv --disable-faan \
    --enable-decoder=aac,alac,vorbis,h264,hevc,vp8,vp9 >configure.log
  make -j"$JOBS" libavcodec/libavcodec.a libavutil/libavutil.a >make.log 2>&1 || { tail -30 make.log; exit 1; }
  for name in sound pictures system; do
    clang-19 $CFLAGS -std=c11 -I. -c "$here/src/$name.c" -o "$name.o"
  done
  # system.o comes first: its definitions take the place of those in the libraries.
  link sound.wasm 2097152 sound.o system.o libavcodec/libavcodec.a libavutil/libavutil.a
  link pictures.wasm 2097152 pictures.o system.o libavcodec/libavcodec.a libavutil/libavutil.a
}

build_opus() {
  tar -xf "$SOURCES/opus_1.3.1.orig.tar.gz" -C "$WORK"
  cd "$WORK/opus-1.3.1"
  # x86 intrinsics through SIMDe, which has each of them in WebAssembly SIMD; no choice at run time.
  presume=""
  for set in SSE SSE2 SSE4_1; do
    presume="$presume -DOPUS_X86_MAY_HAVE_$set -DOPUS_X86_PRESUME_$set"
  done
  sources=$(sed -n 's/^\([a-z].*\.c\).*/\1/p' celt_sources.mk silk_sources.mk opus_sources.mk |
    grep -v -E '/(arm|fixed|mips)/|_demo|opus_compare|multistream|projection|mapping_matrix|x86cpu|_map\.c')
  mkdir objects
  for source in $sources; do echo "$source"; done | xargs -P "$JOBS" -I{} sh -c \
    'clang-19 "$@" -c {} -o "objects/$(echo {} | tr / _).o"' sh \
    $CFLAGS -I"$here/src/simd" -DOPUS_BUILD -DVAR_ARRAYS -DHAVE_LRINTF -DHAVE_LRINT -DFLOAT_APPROX $presume \
    -Iinclude -Icelt -Isilk -Isilk/float -I.
  clang-19 $CFLAGS -std=c11 -Iinclude -c "$here/src/opus.c" -o shell.o
  link opus.wasm 1048576 shell.o objects/*.o
}

build_ffmpeg
build_opus
cd "$OUT" && sha256sum ./*.wasm
