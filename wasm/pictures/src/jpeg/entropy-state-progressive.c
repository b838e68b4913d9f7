/* jdphuff.c with its state, which no interface of the library gives. */
#include "own.h"
#include "jdphuff.c"

void copy_progressive_state(j_decompress_ptr reader, struct entropy_state *state, boolean is_restored) {
  phuff_entropy_ptr entropy = (phuff_entropy_ptr)reader->entropy;
  if (is_restored) {
    entropy->bitstate.get_buffer = state->bits;
    entropy->bitstate.bits_left = state->bits_left;
    entropy->saved.EOBRUN = state->end_run;
    memcpy(entropy->saved.last_dc_val, state->last_dc, sizeof(state->last_dc));
    entropy->restarts_to_go = state->restarts_to_go;
    entropy->pub.insufficient_data = state->is_insufficient;
    return;
  }
  state->bits = entropy->bitstate.get_buffer;
  state->bits_left = entropy->bitstate.bits_left;
  state->end_run = entropy->saved.EOBRUN;
  memcpy(state->last_dc, entropy->saved.last_dc_val, sizeof(state->last_dc));
  state->restarts_to_go = entropy->restarts_to_go;
  state->is_insufficient = entropy->pub.insufficient_data;
}
