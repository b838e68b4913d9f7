/* What each module of this folder imports besides its memory, and how it names its exports. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(#name), visibility("default"))) name
#define IMPORT(name) __attribute__((import_module("host"), import_name(#name)))

/* Why a file is given up. The numbers are those of REASONS in src/images/codec/picture-codec.ts. */
enum fault { FAULT_DAMAGED, FAULT_NO_MEMORY, FAULT_UNSUPPORTED };

/*
 * Ends the work on the file. The host throws, so the call never returns; the instance is dropped, and nothing is
 * unwound or freed.
 */
IMPORT(fail) _Noreturn void host_fail(enum fault reason, const char *text, size_t length);

/* Copies up to `max` bytes of the file from the offset `at` on. Returns their number, 0 at the end. */
IMPORT(read) size_t host_read(size_t at, void *to, size_t max);

/* Passes on a piece of the new file, which the host copies before it returns. */
IMPORT(write) void host_write(const void *bytes, size_t length);

#define FAIL(reason, text) host_fail(reason, text, sizeof(text) - 1)
