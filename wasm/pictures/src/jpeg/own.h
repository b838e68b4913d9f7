/* What the parts of jpeg.wasm share. One file is read or written in an instance. */
#pragma once
#include <stdio.h> /* jpeglib.h names FILE */
#include <stdlib.h>
#include <string.h>
#define JPEG_INTERNALS
#include "host.h"
#include <jinclude.h>
#include <jpeglib.h>
#include <jerror.h>

enum { CHUNK_BYTES = 32768, SCANS_MAX = 100, ROWS_MAX = 64 };

/* A place in the file, as libjpeg's readers of markers and of bits need it to go on there. */
struct file_place {
  size_t at;
  int unread_marker;
  int next_restart;
};

/* The state of an entropy decoder between two rows of units. */
struct entropy_state {
  size_t bits;
  int bits_left;
  unsigned int end_run;
  int last_dc[MAX_COMPS_IN_SCAN];
  unsigned int restarts_to_go;
  boolean is_insufficient;
};

void copy_progressive_state(j_decompress_ptr reader, struct entropy_state *state, boolean is_restored);
void copy_sequential_state(j_decompress_ptr reader, struct entropy_state *state, boolean is_restored);

/* The errors of the library, as faults of the host. */
void use_errors(j_common_ptr object);

/* A reader of the file, from its first byte. `reader` has been zeroed. */
void begin_reader(j_decompress_ptr reader);
struct file_place place_of(j_decompress_ptr reader);
void go_to_place(j_decompress_ptr reader, struct file_place place);
/* Whether the file ended before its end marker. */
boolean has_no_end(j_decompress_ptr reader);

/* Coefficients of a file with several scans: see bands.c. Sets the reader's functions for virtual arrays. */
void hold_coefficients(j_decompress_ptr reader, size_t bytes_max);
/* Reads all scans of a reader that has been started in buffered-image mode. */
void read_all_scans(j_decompress_ptr reader);

/* Holds all samples of a started reader with raw output: see turned.c. */
void hold_samples(j_decompress_ptr reader);

/* The file that a writer makes, with Huffman tables of its own: see recode.c. Before the writer is started, and after. */
void hold_file(j_compress_ptr writer, size_t bytes_max);
void begin_to_count(j_compress_ptr writer);
/* After the end of the writer: passes on the oldest piece that is held. Returns whether there are more. */
boolean pass_on_piece(j_compress_ptr writer);
