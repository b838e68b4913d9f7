import { AppError } from "../../lib/errors/errors.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const CHARS_MIN = LIMITS.idempotency_key_shortest.value;
const CHARS_MAX = LIMITS.idempotency_key_longest.value;

/**
 * Checks an `Idempotency-Key` header (docs/contract/idempotency.md#keys); null if it is missing.
 */
export function checkIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) {
    return null;
  }
  if (header.length < CHARS_MIN || header.length > CHARS_MAX) {
    throw new AppError(
      "invalid_idempotency_key",
      `The Idempotency-Key has ${String(header.length)} character${header.length === 1 ? "" : "s"}; it must have ${String(CHARS_MIN)} to ${String(CHARS_MAX)}, for example a UUID.`,
    );
  }
  if (/\p{Cc}/u.test(header)) {
    throw new AppError(
      "invalid_idempotency_key",
      "The Idempotency-Key contains a control character. Use printable characters only, for example a UUID.",
    );
  }
  return header;
}
