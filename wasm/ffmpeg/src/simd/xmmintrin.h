/* x86 intrinsics of libopus as WebAssembly SIMD, by SIMDe. */
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/sse.h>
