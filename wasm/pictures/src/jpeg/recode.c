/*
 * Huffman tables made for the picture. The library makes them of all coefficients of a picture, 3 to 6 bytes a pixel. Here
 * it writes with the standard tables, a tenth of that, into pieces that are held; their codes are counted, tables are made
 * of the counts, and the codes are replaced by those of the new tables. The coefficients stay as they are.
 *
 * When as much is held as the host allows, the tables are made of what has been counted. From then on the oldest piece is
 * recoded when a new one is full.
 */
#include "own.h"
#include <jchuff.h>

enum { DHT = 0xc4, SOS = 0xda, TABLES = 2, SYMBOLS = 257, CODE_BITS_MAX = 16, EXTRA_BITS_MAX = 15, LOOKUP_BITS = 9, COUNT_MAX = 1 << 22 };

/* Codes of the standard tables, by their first bits: the length in the high byte, the symbol in the low one; 0 if longer. */
struct decoder {
  uint16_t lookup[1 << LOOKUP_BITS];
  /* Of each length: the last code, -1 if there is none, and what to add to a code for the position of its symbol. */
  int32_t last[CODE_BITS_MAX + 1], offset[CODE_BITS_MAX + 1];
  uint8_t symbols[256];
};

struct table {
  struct decoder decoder;
  long counts[SYMBOLS];
  c_derived_tbl codes;
};

/* A place in the coded data. */
struct cursor {
  uint64_t bits;
  int bits_left;
  boolean is_after_ff;
  /* The next block of its unit, and its next coefficient in zigzag order. */
  int block, coefficient;
  size_t blocks_left;
};

struct piece {
  struct piece *next;
  /* Where the data begin and end. */
  size_t from, length;
  JOCTET bytes[CHUNK_BYTES];
};

static struct jpeg_destination_mgr sink;
/* By index: of first coefficients, then of the others. */
static struct table tables[2][TABLES];
static struct cursor counting, recoding;
static struct piece *oldest, *newest;
static size_t pieces_left;
static boolean has_tables;
static JOCTET chunk[CHUNK_BYTES];
static size_t chunk_length;
static uint64_t out_bits;
static int out_count;

static void put_byte(int byte) {
  chunk[chunk_length++] = byte;
  if (chunk_length == CHUNK_BYTES) {
    host_write(chunk, CHUNK_BYTES);
    chunk_length = 0;
  }
}

static void put_bits(uint32_t bits, int count) {
  out_bits = out_bits << count | bits;
  out_count += count;
  while (out_count >= 8) {
    out_count -= 8;
    const int byte = out_bits >> out_count & 0xff;
    put_byte(byte);
    if (byte == 0xff) put_byte(0);
  }
}

static void make_decoder(struct decoder *to, const JHUFF_TBL *from) {
  int code = 0, position = 0;
  memcpy(to->symbols, from->huffval, sizeof(to->symbols));
  for (int length = 1; length <= CODE_BITS_MAX; length++, code <<= 1) {
    to->offset[length] = position - code;
    for (int i = 0; i < from->bits[length]; i++, code++, position++) {
      for (int after = 0; length <= LOOKUP_BITS && after < 1 << (LOOKUP_BITS - length); after++) {
        to->lookup[(code << (LOOKUP_BITS - length)) + after] = length << 8 | from->huffval[position];
      }
    }
    to->last[length] = from->bits[length] > 0 ? code - 1 : -1;
  }
}

/* The length of the code with which 16 bits begin, and its symbol. The library has written it. */
static inline int next_code(const struct decoder *from, uint32_t bits, int *symbol) {
  const int found = from->lookup[bits >> (CODE_BITS_MAX - LOOKUP_BITS)];
  if (found != 0) {
    *symbol = found & 0xff;
    return found >> 8;
  }
  int length = LOOKUP_BITS + 1;
  while (length < CODE_BITS_MAX && (int32_t)(bits >> (CODE_BITS_MAX - length)) > from->last[length]) length++;
  *symbol = from->symbols[(bits >> (CODE_BITS_MAX - length)) + from->offset[length] & 0xff];
  return length;
}

/* Counts the codes of the next bytes, or writes their symbols with the new codes. */
static inline __attribute__((always_inline)) void
pass(j_compress_ptr writer, struct cursor *at, const JOCTET *bytes, size_t length, boolean is_last, boolean is_counting) {
  const JOCTET *end = bytes + length;
  while (at->blocks_left > 0) {
    while (at->bits_left <= 56 && bytes < end) {
      const JOCTET byte = *bytes++;
      /* A zero after 0xff is not data. */
      if (!at->is_after_ff || byte != 0) {
        at->bits = at->bits << 8 | byte;
        at->bits_left += 8;
      }
      at->is_after_ff = byte == 0xff;
    }
    if (at->bits_left < CODE_BITS_MAX + EXTRA_BITS_MAX) {
      if (!is_last) return;
      /* The end marker has been read with the last bits, which are fewer than any code and its bits may be. */
      at->bits <<= 32;
      at->bits_left += 32;
    }
    const boolean is_other = at->coefficient > 0;
    const int component = writer->MCU_membership[at->block];
    const jpeg_component_info *info = writer->cur_comp_info[component];
    struct table *table = &tables[is_other][is_other ? info->ac_tbl_no : info->dc_tbl_no];
    int symbol;
    const int code_length = next_code(&table->decoder, at->bits >> (at->bits_left - CODE_BITS_MAX) & 0xffff, &symbol);
    const int extra = symbol & 15;
    at->bits_left -= code_length + extra;
    if (is_counting) {
      table->counts[symbol]++;
    } else {
      const uint32_t value = at->bits >> at->bits_left & ((1 << extra) - 1);
      put_bits(table->codes.ehufco[symbol] << extra | value, table->codes.ehufsi[symbol] + extra);
    }
    at->coefficient += is_other ? (symbol >> 4) + 1 : 1;
    /* Only 15 zeros and one more, 0xf0, go on without bits. */
    if (is_other && extra == 0 && symbol != 0xf0) at->coefficient = DCTSIZE2;
    if (at->coefficient >= DCTSIZE2) {
      at->coefficient = 0;
      at->block = at->block + 1 == writer->blocks_in_MCU ? 0 : at->block + 1;
      at->blocks_left--;
    }
  }
}

static __attribute__((noinline)) void count_codes(j_compress_ptr writer, const struct piece *piece, boolean is_last) {
  pass(writer, &counting, piece->bytes + piece->from, piece->length - piece->from, is_last, TRUE);
}

static __attribute__((noinline)) void replace_codes(j_compress_ptr writer, const struct piece *piece, boolean is_last) {
  pass(writer, &recoding, piece->bytes + piece->from, piece->length - piece->from, is_last, FALSE);
}

static void write_table(const JHUFF_TBL *table, int index) {
  int count = 0;
  for (int length = 1; length <= CODE_BITS_MAX; length++) count += table->bits[length];
  const int size = 2 + 1 + CODE_BITS_MAX + count;
  const int first[] = {0xff, DHT, size >> 8, size & 0xff, index};
  for (int i = 0; i < 5; i++) put_byte(first[i]);
  for (int length = 1; length <= CODE_BITS_MAX; length++) put_byte(table->bits[length]);
  for (int i = 0; i < count; i++) put_byte(table->huffval[i]);
}

/* Writes all segments before the data without the standard tables; the new ones come before the last. */
static void write_header(j_compress_ptr writer, const struct piece *first) {
  const JOCTET *bytes = first->bytes;
  put_byte(bytes[0]);
  put_byte(bytes[1]);
  for (size_t at = 2, size; at < first->from; at += size) {
    size = 2 + (bytes[at + 2] << 8 | bytes[at + 3]);
    for (int i = 0; i < TABLES && at + size == first->from; i++) {
      write_table(writer->dc_huff_tbl_ptrs[i], i);
      write_table(writer->ac_huff_tbl_ptrs[i], 0x10 | i);
    }
    for (size_t i = 0; bytes[at + 1] != DHT && i < size; i++) put_byte(bytes[at + i]);
  }
}

/*
 * A table made of the counts. Unless they are those of the whole picture, any symbol may follow: each that the standard
 * table has gets a code, by the length that it has there.
 */
static void make_table(j_compress_ptr writer, boolean is_other, int index, boolean is_whole) {
  struct table *table = &tables[is_other][index];
  JHUFF_TBL *made = is_other ? writer->ac_huff_tbl_ptrs[index] : writer->dc_huff_tbl_ptrs[index];
  long total = 0;
  for (int i = 0; i < SYMBOLS; i++) total += table->counts[i];
  for (int length = 1, position = 0; !is_whole && length <= CODE_BITS_MAX; length++) {
    for (int i = 0; i < made->bits[length]; i++) table->counts[made->huffval[position++]] += 1 + (total >> (length + 3));
  }
  /* The library refuses codes of more than 32 bits, which larger sums may have. */
  for (; total > COUNT_MAX; total >>= 1) {
    for (int i = 0; i < SYMBOLS; i++) table->counts[i] = (table->counts[i] + 1) >> 1;
  }
  jpeg_gen_optimal_table(writer, made, table->counts);
  c_derived_tbl *codes = NULL;
  jpeg_make_c_derived_tbl(writer, !is_other, index, &codes);
  table->codes = *codes;
}

static void make_tables(j_compress_ptr writer, boolean is_whole) {
  for (int i = 0; i < TABLES; i++) {
    make_table(writer, FALSE, i, is_whole);
    make_table(writer, TRUE, i, is_whole);
  }
  write_header(writer, oldest);
  has_tables = TRUE;
}

static void begin_piece(struct piece *piece) {
  if (newest == NULL) oldest = piece;
  else newest->next = piece;
  newest = piece;
  piece->next = NULL;
  piece->from = 0;
  sink.next_output_byte = piece->bytes;
  sink.free_in_buffer = CHUNK_BYTES;
}

static struct piece *take_oldest(void) {
  struct piece *piece = oldest;
  oldest = piece->next;
  return piece;
}

static void begin_file(j_compress_ptr writer) {
  struct piece *piece = malloc(sizeof(*piece));
  if (piece == NULL) FAIL(FAULT_NO_MEMORY, "no memory for the file");
  begin_piece(piece);
  (void)writer;
}

/* The length of the segments before the data, all of which the first piece has. */
static size_t header_bytes(const JOCTET *bytes) {
  for (size_t at = 2;; ) {
    const boolean is_last = bytes[at + 1] == SOS;
    at += 2 + (bytes[at + 2] << 8 | bytes[at + 3]);
    if (is_last) return at;
  }
}

static void end_piece(j_compress_ptr writer, boolean is_last) {
  newest->length = CHUNK_BYTES - sink.free_in_buffer;
  if (has_tables) return;
  if (newest == oldest) newest->from = header_bytes(newest->bytes);
  count_codes(writer, newest, is_last);
}

static boolean next_piece(j_compress_ptr writer) {
  sink.free_in_buffer = 0;
  end_piece(writer, FALSE);
  struct piece *piece = has_tables || pieces_left == 0 ? NULL : malloc(sizeof(*piece));
  if (piece == NULL) {
    if (!has_tables) make_tables(writer, FALSE);
    replace_codes(writer, oldest, FALSE);
    piece = take_oldest();
    if (oldest == NULL) newest = NULL;
  } else {
    pieces_left--;
  }
  begin_piece(piece);
  return TRUE;
}

static void end_file(j_compress_ptr writer) {
  end_piece(writer, TRUE);
  if (!has_tables) make_tables(writer, TRUE);
}

void hold_file(j_compress_ptr writer, size_t bytes_max) {
  sink.init_destination = begin_file;
  sink.empty_output_buffer = next_piece;
  sink.term_destination = end_file;
  writer->dest = &sink;
  pieces_left = bytes_max / sizeof(struct piece);
}

void begin_to_count(j_compress_ptr writer) {
  for (int i = 0; i < TABLES; i++) {
    make_decoder(&tables[0][i].decoder, writer->dc_huff_tbl_ptrs[i]);
    make_decoder(&tables[1][i].decoder, writer->ac_huff_tbl_ptrs[i]);
  }
  counting.blocks_left = (size_t)writer->MCUs_per_row * writer->MCU_rows_in_scan * writer->blocks_in_MCU;
  recoding = counting;
}

boolean pass_on_piece(j_compress_ptr writer) {
  const boolean is_last = oldest->next == NULL;
  replace_codes(writer, oldest, is_last);
  free(take_oldest());
  if (!is_last) return TRUE;
  /* The last byte is filled with ones. */
  put_bits(0x7f, 7);
  put_byte(0xff);
  put_byte(JPEG_EOI);
  host_write(chunk, chunk_length);
  return FALSE;
}
