/* Writes a baseline JPEG from rows of RGBA, whose fourth sample is passed over. */
#include "own.h"

static struct jpeg_compress_struct writer;

/*
 * `quality` is 1 to 100. With `is_halved` colors are stored for 2 by 2 pixels, else for each. So many bytes of the file
 * may be held for its Huffman tables.
 */
void EXPORT(begin)(int width, int height, int quality, int is_halved, size_t held_bytes) {
  use_errors((j_common_ptr)&writer);
  jpeg_create_compress(&writer);
  hold_file(&writer, held_bytes);
  writer.image_width = width;
  writer.image_height = height;
  writer.input_components = 4;
  writer.in_color_space = JCS_EXT_RGBX;
  jpeg_set_defaults(&writer);
  jpeg_set_quality(&writer, quality, TRUE);
  if (!is_halved) writer.comp_info[0].h_samp_factor = writer.comp_info[0].v_samp_factor = 1;
  jpeg_start_compress(&writer, TRUE);
  begin_to_count(&writer);
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

/* After the end: writes some of what is held. Returns 0 if that was the last. */
int EXPORT(pass_on)(void) {
  return pass_on_piece(&writer);
}
