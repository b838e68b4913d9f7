/*
 * Functions that the library names and that no picture reaches here: its lossless writer (transparency is written by the
 * host) and its slow conversion of colors. Without them the writer is half as large.
 */
#include "src/enc/vp8i_enc.h"
#include "src/enc/vp8li_enc.h"
#include "sharpyuv/sharpyuv.h"
#include "sharpyuv/sharpyuv_csp.h"

int VP8LEncodeImage(const WebPConfig *config, const WebPPicture *picture) {
  (void)config, (void)picture;
  __builtin_trap();
}

int VP8LEncodeStream(const WebPConfig *config, const WebPPicture *picture, VP8LBitWriter *bits, int use_cache) {
  (void)config, (void)picture, (void)bits, (void)use_cache;
  __builtin_trap();
}

void SharpYuvInit(VP8CPUInfo cpu_info_func) {
  (void)cpu_info_func;
  __builtin_trap();
}

int SharpYuvConvert(const void *red, const void *green, const void *blue, int step, int stride, int bits, void *y, int y_stride,
  void *u, int u_stride, void *v, int v_stride, int yuv_bits, int width, int height, const SharpYuvConversionMatrix *matrix) {
  (void)red, (void)green, (void)blue, (void)step, (void)stride, (void)bits, (void)y, (void)y_stride, (void)u, (void)u_stride;
  (void)v, (void)v_stride, (void)yuv_bits, (void)width, (void)height, (void)matrix;
  __builtin_trap();
}

const SharpYuvConversionMatrix *SharpYuvGetConversionMatrix(SharpYuvMatrixType type) {
  (void)type;
  __builtin_trap();
}
