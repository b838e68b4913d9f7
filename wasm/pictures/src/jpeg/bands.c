/*
 * The coefficients of a JPEG with several scans, a band of rows at a time.
 *
 * A picture of 12 megapixels has 36 MB of coefficients (72 MB with whole colors), and each scan adds to all of them. If
 * they are more than the host allows, they are not held: the first reader walks through all scans and keeps one bit for
 * each coefficient, which is not zero, because a later scan is coded by that; and, where each scan reaches each band,
 * the place in the file and the state of the entropy decoder. A second reader then decodes the bands one after another,
 * each from the parts of the scans that belong to it. Every bit of the file is decoded twice.
 *
 * The library asks for coefficients by its functions for virtual arrays, which are replaced here.
 */
#include "own.h"
#include <jdcoefct.h>
#include <wasm_simd128.h>

typedef uint64_t block_bits;

/* The library knows this type by name only. */
struct jvirt_barray_control {
  int component;
};

struct plane {
  struct jvirt_barray_control control;
  JDIMENSION blocks_wide;
  int rows_of_unit;
  /* For each block of the picture, while coefficients are not held. */
  block_bits *bits;
  /* One row of units, whose coefficients are 1 where they are not zero; -1 without. */
  JBLOCKROW scratch;
  int scratch_unit;
  JBLOCKROW band;
  JBLOCKROW rows[MAX_SAMP_FACTOR];
};

struct scan_record {
  struct file_place end;
  /* By band. */
  struct checkpoint {
    struct file_place place;
    struct entropy_state entropy;
  } *checkpoints;
};

static struct plane planes[MAX_COMPONENTS];
static struct scan_record scans[SCANS_MAX];
static int scan_count;
static size_t coefficient_bytes_max;
/* In rows of units. All rows are one band if the coefficients are held. */
static int units, band_units, band_count, band_held;
static struct jpeg_decompress_struct band_reader;

static void *take(size_t count, size_t bytes) {
  void *taken = calloc(count, bytes);
  if (taken == NULL) FAIL(FAULT_NO_MEMORY, "no room for coefficients");
  return taken;
}

static void copy_entropy(j_decompress_ptr reader, struct entropy_state *state, boolean is_restored) {
  if (reader->progressive_mode) copy_progressive_state(reader, state, is_restored);
  else copy_sequential_state(reader, state, is_restored);
}

static JBLOCKARRAY rows_in(struct plane *plane, JBLOCKROW first) {
  for (int row = 0; row < plane->rows_of_unit; row++) plane->rows[row] = first + (size_t)row * plane->blocks_wide;
  return plane->rows;
}

static size_t blocks_of_unit(const struct plane *plane) {
  return (size_t)plane->rows_of_unit * plane->blocks_wide;
}

static block_bits bits_of_block(const JCOEF *block) {
  block_bits bits = 0;
  const v128_t zero = wasm_i16x8_splat(0);
  for (int at = 0; at < DCTSIZE2; at += 16) {
    const v128_t low = wasm_i16x8_ne(wasm_v128_load(block + at), zero);
    const v128_t high = wasm_i16x8_ne(wasm_v128_load(block + at + 8), zero);
    bits |= (block_bits)wasm_i8x16_bitmask(wasm_i8x16_narrow_i16x8(low, high)) << at;
  }
  return bits;
}

static void block_of_bits(JCOEF *block, block_bits bits) {
  const v128_t places = wasm_i16x8_make(1, 2, 4, 8, 16, 32, 64, 128);
  for (int at = 0; at < DCTSIZE2; at += 8, bits >>= 8) {
    const v128_t set = wasm_v128_and(wasm_i16x8_splat((int16_t)(bits & 255)), places);
    wasm_v128_store(block + at, wasm_v128_and(wasm_i16x8_eq(set, places), wasm_i16x8_splat(1)));
  }
}

/* The row of units in the scratch, after the bits of the row before it have been kept. */
static JBLOCKROW scratch_row(struct plane *plane, int unit) {
  const size_t count = blocks_of_unit(plane);
  if (plane->scratch_unit >= 0) {
    block_bits *kept = plane->bits + plane->scratch_unit * count;
    for (size_t i = 0; i < count; i++) kept[i] = bits_of_block(plane->scratch[i]);
  }
  const block_bits *known = plane->bits + unit * count;
  for (size_t i = 0; i < count; i++) block_of_bits(plane->scratch[i], known[i]);
  plane->scratch_unit = unit;
  return plane->scratch;
}

/* At the first component of a scan, before a row of units: nothing of the row has been decoded. */
static void note_checkpoint(j_decompress_ptr reader, int unit) {
  struct scan_record *scan = &scans[reader->input_scan_number - 1];
  if (scan->checkpoints == NULL) scan->checkpoints = take(band_count, sizeof(struct checkpoint));
  struct checkpoint *checkpoint = &scan->checkpoints[unit / band_units];
  checkpoint->place = place_of(reader);
  copy_entropy(reader, &checkpoint->entropy, FALSE);
}

static void decode_band(int band);

static JBLOCKARRAY access_rows(
  j_common_ptr object, jvirt_barray_ptr array, JDIMENSION first, JDIMENSION count, boolean is_written) {
  (void)count;
  j_decompress_ptr reader = (j_decompress_ptr)object;
  struct plane *plane = &planes[array->component];
  const int unit = (int)first / plane->rows_of_unit;
  if (reader != &band_reader && band_count > 1 && is_written) {
    if (unit % band_units == 0 && reader->cur_comp_info[0]->component_index == array->component)
      note_checkpoint(reader, unit);
    return rows_in(plane, scratch_row(plane, unit));
  }
  if (reader != &band_reader && unit / band_units != band_held) decode_band(unit / band_units);
  return rows_in(plane, plane->band + (unit % band_units) * blocks_of_unit(plane));
}

/* Called for one component after another. Planes belong to the picture, so the second reader gets those of the first. */
static jvirt_barray_ptr request_rows(
  j_common_ptr object, int pool, boolean is_zeroed, JDIMENSION blocks_wide, JDIMENSION rows, JDIMENSION rows_at_once) {
  (void)pool, (void)is_zeroed, (void)rows_at_once;
  j_decompress_ptr reader = (j_decompress_ptr)object;
  static int requested;
  const int component = requested++ % reader->num_components;
  struct plane *plane = &planes[component];
  plane->control.component = component;
  plane->rows_of_unit = reader->comp_info[component].v_samp_factor;
  plane->blocks_wide = blocks_wide;
  (void)rows;
  return &plane->control;
}

static void use_own_arrays(j_decompress_ptr reader) {
  reader->mem->request_virt_barray = request_rows;
  reader->mem->access_virt_barray = access_rows;
}

void hold_coefficients(j_decompress_ptr reader, size_t bytes_max) {
  coefficient_bytes_max = bytes_max;
  use_own_arrays(reader);
}

static void make_room(j_decompress_ptr reader) {
  size_t unit_blocks = 0;
  for (int i = 0; i < reader->num_components; i++) unit_blocks += blocks_of_unit(&planes[i]);
  units = (int)reader->total_iMCU_rows;
  const size_t unit_bytes = unit_blocks * sizeof(JBLOCK);
  const size_t fitting = coefficient_bytes_max / unit_bytes;
  band_units = fitting >= (size_t)units ? units : fitting < 1 ? 1 : (int)fitting;
  band_count = (units + band_units - 1) / band_units;
  band_held = band_count > 1 ? -1 : 0;
  for (int i = 0; i < reader->num_components; i++) {
    struct plane *plane = &planes[i];
    const size_t blocks = blocks_of_unit(plane);
    plane->scratch_unit = -1;
    if (band_count == 1) {
      plane->band = take(blocks * units, sizeof(JBLOCK));
    } else {
      plane->bits = take(blocks * units, sizeof(block_bits));
      plane->scratch = take(blocks, sizeof(JBLOCK));
    }
  }
}

void read_all_scans(j_decompress_ptr reader) {
  make_room(reader);
  for (int result = JPEG_REACHED_SOS; result != JPEG_REACHED_EOI; result = jpeg_consume_input(reader)) {
    if (reader->input_scan_number > SCANS_MAX) FAIL(FAULT_UNSUPPORTED, "more than 100 scans");
    scan_count = reader->input_scan_number;
    if (result == JPEG_SCAN_COMPLETED) scans[scan_count - 1].end = place_of(reader);
  }
  if (band_count == 1) return;
  for (int i = 0; i < reader->num_components; i++) {
    struct plane *plane = &planes[i];
    free(plane->bits);
    free(plane->scratch);
    plane->band = take(blocks_of_unit(plane) * band_units, sizeof(JBLOCK));
  }
}

/* Goes to the band in the scan that has begun, decodes the scan's rows in it, and goes to the scan's end. */
static void decode_scan_of_band(const struct scan_record *scan, int first, int end) {
  const struct checkpoint *checkpoint = &scan->checkpoints[first / band_units];
  go_to_place(&band_reader, checkpoint->place);
  copy_entropy(&band_reader, (struct entropy_state *)&checkpoint->entropy, TRUE);
  band_reader.input_iMCU_row = first;
  start_iMCU_row(&band_reader);
  int result = JPEG_ROW_COMPLETED;
  for (int unit = first; unit < end; unit++) result = jpeg_consume_input(&band_reader);
  if (result != JPEG_SCAN_COMPLETED) (*band_reader.inputctl->finish_input_pass)(&band_reader);
  go_to_place(&band_reader, scan->end);
}

static void decode_band(int band) {
  const int first = band * band_units;
  const int end = first + band_units < units ? first + band_units : units;
  memset(&band_reader, 0, sizeof(band_reader));
  begin_reader(&band_reader);
  use_own_arrays(&band_reader);
  jpeg_read_header(&band_reader, TRUE);
  band_reader.buffered_image = TRUE;
  jpeg_start_decompress(&band_reader);
  for (int i = 0; i < band_reader.num_components; i++)
    memset(planes[i].band, 0, blocks_of_unit(&planes[i]) * band_units * sizeof(JBLOCK));
  for (int scan = 0; scan < scan_count; scan++) {
    if (scan > 0) jpeg_consume_input(&band_reader);
    decode_scan_of_band(&scans[scan], first, end);
  }
  jpeg_destroy_decompress(&band_reader);
  band_held = band;
}
