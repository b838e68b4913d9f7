/*
 * The library's memory. It states a lack of memory as damage in some places (of transparency, for one), so that the lack
 * ends the work where it is found.
 */
#include "host.h"

void *__real_WebPSafeMalloc(uint64_t count, size_t size);
void *__real_WebPSafeCalloc(uint64_t count, size_t size);

static void *found(void *memory) {
  if (memory == NULL) FAIL(FAULT_NO_MEMORY, "libwebp has no memory");
  return memory;
}

void *__wrap_WebPSafeMalloc(uint64_t count, size_t size) {
  return found(__real_WebPSafeMalloc(count, size));
}

void *__wrap_WebPSafeCalloc(uint64_t count, size_t size) {
  return found(__real_WebPSafeCalloc(count, size));
}
