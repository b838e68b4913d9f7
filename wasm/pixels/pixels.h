/*
 * What the kernels share. All pointers are into the memory that the caller imports. A row of RGBA has 4 bytes for each
 * pixel; where a kernel says that rows have room, it reads or writes up to 3 pixels beyond their end.
 */
#include <wasm_simd128.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
