/* The library's errors and warnings, as faults of the host. */
#include "own.h"

/* jerror.h defines these texts by others of jversion.h, which name people and years. */
#define JCOPYRIGHT_SHORT ""
#define JVERSION "6b"

static const char *const MESSAGES[] = {
#define JMESSAGE(code, text) text,
#include <jerror.h>
  NULL
};

enum { TEXT_BYTES = JMSG_LENGTH_MAX + 96 };

/* Puts numbers into the message, as printf does; that of the C library needs files. */
static _Noreturn void fail_as_stated(j_common_ptr object) {
  const struct jpeg_error_mgr *error = object->err;
  const int is_known = error->msg_code > 0 && error->msg_code < JMSG_LASTMSGCODE;
  const char *format = MESSAGES[is_known ? error->msg_code : 0];
  char text[TEXT_BYTES], digits[12];
  size_t length = 0, next = 0;
  for (; *format != 0 && length < JMSG_LENGTH_MAX - 96; format++) {
    if (*format != '%') {
      text[length++] = *format;
      continue;
    }
    while (strchr("0123456789l", *++format) != NULL && *format != 0) {}
    if (*format == 's') {
      const size_t parameter = strnlen(error->msg_parm.s, JMSG_STR_PARM_MAX);
      memcpy(text + length, error->msg_parm.s, parameter);
      length += parameter;
      continue;
    }
    unsigned int value = error->msg_parm.i[next++ & 7], count = 0;
    const unsigned int base = *format == 'x' ? 16 : 10;
    do digits[count++] = "0123456789abcdef"[value % base];
    while ((value /= base) != 0);
    while (count > 0) text[length++] = digits[--count];
  }
  host_fail(error->msg_code == JERR_OUT_OF_MEMORY ? FAULT_NO_MEMORY : FAULT_DAMAGED, text, length);
}

/*
 * A warning has the level -1: the data are wrong, and the library goes on with a guess. Wrong data of the picture itself
 * are refused. Bytes before a marker, unknown numbers of versions and transforms, and unusual parameters of a scan are
 * not: cameras and old programs write them, and browsers pass over them.
 */
static void on_message(j_common_ptr object, int level) {
  if (level >= 0) return;
  const struct jpeg_error_mgr *error = object->err;
  switch (error->msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_JFIF_MAJOR:
    case JWRN_NOT_SEQUENTIAL:
      return;
    case JWRN_EXTRANEOUS_DATA:
      /* Bytes before a restart marker are data of a picture that nobody has decoded. */
      if (error->msg_parm.i[1] >= 0xd0 && error->msg_parm.i[1] <= 0xd7) break;
      return;
    default:
      break;
  }
  fail_as_stated(object);
}

static void on_output(j_common_ptr object) {
  (void)object;
}

static void on_reset(j_common_ptr object) {
  object->err->msg_code = 0;
}

void use_errors(j_common_ptr object) {
  static struct jpeg_error_mgr errors;
  errors.error_exit = fail_as_stated;
  errors.emit_message = on_message;
  errors.output_message = on_output;
  errors.reset_error_mgr = on_reset;
  object->err = &errors;
}
