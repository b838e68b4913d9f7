/* Arm's intrinsics by their own names, as WebAssembly SIMD. */
#pragma once
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/arm/neon.h>
