/* The library's configuration: version 6b's interface, no arithmetic coding. */
#define JPEG_LIB_VERSION 62
#define LIBJPEG_TURBO_VERSION 2.1.5
#define LIBJPEG_TURBO_VERSION_NUMBER 2001005
#define BITS_IN_JSAMPLE 8
#define WITH_SIMD 1
