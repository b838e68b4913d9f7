/* The host's file as a source of libjpeg, from which a reader can go on at any place. */
#include "own.h"

struct file_source {
  struct jpeg_source_mgr pub;
  /* Offset in the file of the byte after the chunk. */
  size_t at;
  boolean has_no_end;
  JOCTET chunk[CHUNK_BYTES];
};

static void nothing(j_decompress_ptr reader) {
  (void)reader;
}

/* After the last byte an end marker is made up; `has_no_end` states so. */
static boolean fill(j_decompress_ptr reader) {
  struct file_source *source = (struct file_source *)reader->src;
  size_t count = host_read(source->at, source->chunk, CHUNK_BYTES);
  source->at += count;
  if (count == 0) {
    source->has_no_end = TRUE;
    source->chunk[0] = 0xff;
    source->chunk[1] = JPEG_EOI;
    count = 2;
  }
  source->pub.next_input_byte = source->chunk;
  source->pub.bytes_in_buffer = count;
  return TRUE;
}

static void skip(j_decompress_ptr reader, long count) {
  struct jpeg_source_mgr *source = reader->src;
  while (count > (long)source->bytes_in_buffer) {
    count -= (long)source->bytes_in_buffer;
    fill(reader);
    if (has_no_end(reader)) return;
  }
  if (count > 0) {
    source->next_input_byte += count;
    source->bytes_in_buffer -= count;
  }
}

void begin_reader(j_decompress_ptr reader) {
  use_errors((j_common_ptr)reader);
  jpeg_create_decompress(reader);
  struct file_source *source = (*reader->mem->alloc_small)((j_common_ptr)reader, JPOOL_PERMANENT, sizeof(*source));
  memset(source, 0, offsetof(struct file_source, chunk));
  source->pub.init_source = nothing;
  source->pub.fill_input_buffer = fill;
  source->pub.skip_input_data = skip;
  source->pub.resync_to_restart = jpeg_resync_to_restart;
  source->pub.term_source = nothing;
  reader->src = &source->pub;
}

struct file_place place_of(j_decompress_ptr reader) {
  const struct file_source *source = (struct file_source *)reader->src;
  return (struct file_place){
    .at = source->at - source->pub.bytes_in_buffer,
    .unread_marker = reader->unread_marker,
    .next_restart = reader->marker->next_restart_num,
  };
}

void go_to_place(j_decompress_ptr reader, struct file_place place) {
  struct file_source *source = (struct file_source *)reader->src;
  source->at = place.at;
  source->pub.bytes_in_buffer = 0;
  reader->unread_marker = place.unread_marker;
  reader->marker->next_restart_num = place.next_restart;
}

boolean has_no_end(j_decompress_ptr reader) {
  return ((struct file_source *)reader->src)->has_no_end;
}
