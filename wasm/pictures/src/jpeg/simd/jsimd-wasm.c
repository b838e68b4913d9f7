/* libjpeg-turbo's choice of vector functions for 32-bit Arm, without its Huffman coder, whose bit buffer differs. */
#define __ARM_NEON__ 1
#define jsimd_can_huff_encode_one_block unused_can_huff_encode_one_block
#define jsimd_huff_encode_one_block unused_huff_encode_one_block
#include "aarch32/jsimd.c"
#undef jsimd_can_huff_encode_one_block
#undef jsimd_huff_encode_one_block

GLOBAL(int) jsimd_can_huff_encode_one_block(void) {
  return 0;
}

GLOBAL(JOCTET *)
jsimd_huff_encode_one_block(void *state, JOCTET *buffer, JCOEFPTR block, int last, c_derived_tbl *dc, c_derived_tbl *ac) {
  (void)state, (void)block, (void)last, (void)dc, (void)ac;
  return buffer;
}
