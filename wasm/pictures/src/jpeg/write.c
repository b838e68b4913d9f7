/* Writes a baseline JPEG from rows of RGBA, whose fourth sample is passed over. */
#include "own.h"

static struct jpeg_compress_struct writer;
static struct jpeg_destination_mgr sink;
static JOCTET chunk[CHUNK_BYTES];

static void begin_chunk(j_compress_ptr object) {
  (void)object;
  sink.next_output_byte = chunk;
  sink.free_in_buffer = CHUNK_BYTES;
}

static boolean pass_on(j_compress_ptr object) {
  host_write(chunk, CHUNK_BYTES);
  begin_chunk(object);
  return TRUE;
}

static void end_file(j_compress_ptr object) {
  (void)object;
  host_write(chunk, CHUNK_BYTES - sink.free_in_buffer);
}

/* `quality` is 1 to 100. With `is_halved` colors are stored for 2 by 2 pixels, else for each. */
void EXPORT(begin)(int width, int height, int quality, int is_halved) {
  use_errors((j_common_ptr)&writer);
  jpeg_create_compress(&writer);
  sink.init_destination = begin_chunk;
  sink.empty_output_buffer = pass_on;
  sink.term_destination = end_file;
  writer.dest = &sink;
  writer.image_width = width;
  writer.image_height = height;
  writer.input_components = 4;
  writer.in_color_space = JCS_EXT_RGBX;
  jpeg_set_defaults(&writer);
  jpeg_set_quality(&writer, quality, TRUE);
  if (!is_halved) writer.comp_info[0].h_samp_factor = writer.comp_info[0].v_samp_factor = 1;
  jpeg_start_compress(&writer, TRUE);
}

void EXPORT(add)(uint8_t *pixels, int count) {
  for (int i = 0; i < count; i++) {
    JSAMPROW row = pixels + (size_t)i * writer.image_width * 4;
    jpeg_write_scanlines(&writer, &row, 1);
  }
}

void EXPORT(end)(void) {
  jpeg_finish_compress(&writer);
}
