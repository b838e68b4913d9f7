#!/bin/sh
# Builds jpeg.wasm (libjpeg-turbo's reader and writer), webp-reader.wasm and webp-writer.wasm (libwebp), and avif.wasm (dav1d).
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
LDFLAGS="$TARGET -nostartfiles -Wl,--no-entry -Wl,--import-memory -Wl,--stack-first -Wl,--gc-sections -Wl,--strip-all -Wl,--fatal-warnings"

compile() { # compile <folder of the objects> <flags> <sources…>
  objects=$1 flags=$2
  shift 2
  mkdir -p "$objects"
  # No word of the flags and no path has a space in it: both come from this script.
  for source in "$@"; do echo "$source"; done | xargs -P "$JOBS" -I{} sh -c \
    'source=$1; shift; clang-19 "$@" -c "$source" -o "'"$objects"'/$(basename "$source" .c).o"' sh {} $CFLAGS -I"$here/src" $flags
}

link() { # link <result> <bytes of memory at the start> <bytes of the stack> <objects…>
  result=$1 initial=$2 stack=$3
  shift 3
  # The largest memory that a host may give; hosts give less (src/images/codec/picture-codec.ts).
  clang-19 $LDFLAGS "-Wl,-z,stack-size=$stack" "-Wl,--initial-memory=$initial" -Wl,--max-memory=67108864 "$@" -o "$OUT/$result"
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
  link jpeg.wasm 524288 131072 "$WORK"/jpeg/*.o
}

unpack_webp() {
  webp=$WORK/libwebp-1.2.4 own=$here/src/webp
  [ ! -e "$webp" ] || return 0
  tar -xf "$SOURCES/libwebp_1.2.4.orig.tar.gz" -C "$WORK"
  tar -xf "$SOURCES/libwebp_1.2.4-0.2+deb12u1.debian.tar.xz" -C "$webp"
  # Debian's security fixes, in their order.
  while read -r patch; do
    patch --directory="$webp" --strip=1 --silent <"$webp/debian/patches/$patch"
  done <"$webp/debian/patches/series"
}

# The files of the library in these of its folders, without the vectors of other processors and without what nothing here calls.
webp_sources() {
  for folder in "$@"; do
    ls "$webp/src/$folder"/*.c
  done | grep -v -E '_(sse41|neon|msa|mips32|mips_dsp_r2)\.c$|/(idec_dec|ssim|ssim_sse2|picture_psnr_enc|vp8l_enc|histogram_enc|backward_references_enc|backward_references_cost_enc|predictor_enc|near_lossless_enc|delta_palettization_enc|lossless_enc|lossless_enc_sse2)\.c$'
}

build_webp() {
  unpack_webp
  # The library's SSE2 intrinsics, each given as WebAssembly SIMD: it asks the processor for them unless EMSCRIPTEN is defined.
  # Vectors that the compiler finds by itself make it slower.
  flags="-O2 -fno-vectorize -fno-slp-vectorize -DWEBP_REDUCE_SIZE -DWEBP_DISABLE_STATS -DEMSCRIPTEN -DWEBP_HAVE_SSE2 -DWEBP_USE_SSE2 -I$own/simd -I$webp"
  # shellcheck disable=SC2046 -- no path has a space in it
  compile "$WORK/webp" "$flags" $(webp_sources dec enc utils dsp) "$own"/*.c "$here/src/room.c"
  wrap="-Wl,--wrap=WebPSafeMalloc -Wl,--wrap=WebPSafeCalloc"
  link webp-reader.wasm 524288 131072 $wrap $(ls "$WORK"/webp/*.o | grep -v /write.o)
  link webp-writer.wasm 524288 131072 $wrap -Wl,--wrap=WebPSafeFree $(ls "$WORK"/webp/*.o | grep -v /read.o)
}

build_avif() {
  tar -xf "$SOURCES/dav1d_1.0.0.orig.tar.xz" -C "$WORK"
  avif=$WORK/dav1d-1.0.0 own=$here/src/avif
  tar -xf "$SOURCES/dav1d_1.0.0-2+deb12u1.debian.tar.xz" -C "$avif"
  # Debian's security fixes, in their order.
  while read -r patch; do
    patch --directory="$avif" --strip=1 --silent <"$avif/debian/patches/$patch"
  done <"$avif/debian/patches/series"
  # Of log.c only the name of a callback is asked for (src/avif/frames.c). The flags are those of the library's own build.
  sources="cdf cpu data decode dequant_tables getbits intra_edge itx_1d lf_mask mem msac obu picture qm ref refmvs scan tables
    warpmv wedge lib thread_task"
  # Each is compiled twice, for samples of 8 bits and of more.
  templates="cdef_apply cdef fg_apply filmgrain ipred_prepare ipred itx lf_apply loopfilter looprestoration lr_apply mc recon"
  flags="-std=c11 -D_GNU_SOURCE -I$own -I$avif/include -I$avif/include/dav1d -I$avif"
  for bits in 8 16; do
    compile "$WORK/avif-$bits" "$flags -DBITDEPTH=$bits" $(for name in $templates; do echo "$avif/src/${name}_tmpl.c"; done)
  done
  compile "$WORK/avif" "$flags" $(for name in $sources; do echo "$avif/src/$name.c"; done) "$own"/*.c "$here/src/room.c"
  # Its filters have rows of a block on the stack, and its own threads have one of 1 MB.
  link avif.wasm 2097152 1048576 "$WORK"/avif/*.o "$WORK"/avif-8/*.o "$WORK"/avif-16/*.o
}

for module in ${@:-jpeg webp avif}; do
  "build_$module"
done
cd "$OUT" && sha256sum ./*.wasm
