/* jdhuff.c with its state, which no interface of the library gives. */
#include "own.h"
#include "jdhuff.c"

void copy_sequential_state(j_decompress_ptr reader, struct entropy_state *state, boolean is_restored) {
  huff_entropy_ptr entropy = (huff_entropy_ptr)reader->entropy;
  if (is_restored) {
    entropy->bitstate.get_buffer = state->bits;
    entropy->bitstate.bits_left = state->bits_left;
    memcpy(entropy->saved.last_dc_val, state->last_dc, sizeof(state->last_dc));
    entropy->restarts_to_go = state->restarts_to_go;
    entropy->pub.insufficient_data = state->is_insufficient;
    return;
  }
  state->bits = entropy->bitstate.get_buffer;
  state->bits_left = entropy->bitstate.bits_left;
  memcpy(state->last_dc, entropy->saved.last_dc_val, sizeof(state->last_dc));
  state->restarts_to_go = entropy->restarts_to_go;
  state->is_insufficient = entropy->pub.insufficient_data;
}
