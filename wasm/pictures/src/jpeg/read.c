/* Reads a JPEG of any kind that libjpeg-turbo reads, from top to bottom. */
#include "own.h"

static struct jpeg_decompress_struct reader;

/* Without the end of the file, a progressive picture may lack scans: those that make its coefficients whole. */
static void check_is_whole(void) {
  for (int i = 0; i < reader.num_components; i++) {
    if (reader.comp_info[i].quant_table == NULL) FAIL(FAULT_DAMAGED, "a color is missing");
    for (int at = 0; reader.progressive_mode && has_no_end(&reader) && at < DCTSIZE2; at++) {
      if (reader.coef_bits[i][at] != 0) FAIL(FAULT_DAMAGED, "the last scans are missing");
    }
  }
}

/*
 * Begins to read: pixels of 1/`denominator` of the sides (1, 2, 4, 8), or with `is_turned` all samples, of which
 * `turned` makes pixels. Coefficients of a file with several scans may take so many bytes.
 */
void EXPORT(start)(int denominator, int is_turned, size_t coefficient_bytes) {
  begin_reader(&reader);
  hold_coefficients(&reader, coefficient_bytes);
  jpeg_read_header(&reader, TRUE);
  reader.do_block_smoothing = FALSE;
  reader.out_color_space = reader.num_components == 4 ? JCS_CMYK : JCS_EXT_RGBA;
  reader.scale_denom = denominator;
  reader.raw_data_out = is_turned;
  reader.buffered_image = jpeg_has_multiple_scans(&reader);
  jpeg_start_decompress(&reader);
  if (reader.buffered_image) {
    read_all_scans(&reader);
    check_is_whole();
    jpeg_start_output(&reader, reader.input_scan_number);
  }
  if (is_turned) hold_samples(&reader);
}

int EXPORT(width)(void) {
  return reader.output_width;
}

int EXPORT(height)(void) {
  return reader.output_height;
}

/* Writes up to `max` next rows of RGBA, or CMYK as stored, 64 at most. Returns their number, 0 at the end. */
int EXPORT(rows)(uint8_t *to, int max) {
  JSAMPROW rows[ROWS_MAX];
  int count = 0;
  if (max > ROWS_MAX) max = ROWS_MAX;
  while (count < max && reader.output_scanline < reader.output_height) {
    for (int i = count; i < max; i++) rows[i] = to + (size_t)i * reader.output_width * 4;
    count += jpeg_read_scanlines(&reader, rows + count, max - count);
  }
  return count;
}
