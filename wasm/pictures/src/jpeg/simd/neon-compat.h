/* Which loads of several vectors the intrinsics have, and the width of a word: as simd/arm/neon-compat.h.in. */
#define HAVE_VLD1_S16_X3 1
#define HAVE_VLD1_U16_X2 1
#define HAVE_VLD1Q_U8_X4 1

#if defined(__clang__) || defined(__GNUC__)
#define BUILTIN_CLZ(x) __builtin_clz(x)
#define BUILTIN_CLZLL(x) __builtin_clzll(x)
#define BUILTIN_BSWAP64(x) __builtin_bswap64(x)
#endif
