import * as z from "zod";
import { LIMITS } from "../lib/limits/limits-table.ts";

const CHARS_MIN = LIMITS.idempotency_key_shortest.value;
const CHARS_MAX = LIMITS.idempotency_key_longest.value;

/**
 * A required `Idempotency-Key` header. An invalid one is `invalid_idempotency_key`; endpoints map a missing one to
 * `missing_idempotency_key` with `headers.idempotency-key` in `codes`.
 */
export const idempotencyKeyField = z
  .string({ error: "The Idempotency-Key header is missing. Send a new UUID for each change." })
  .superRefine((key, refinement) => {
    if (key.length < CHARS_MIN || key.length > CHARS_MAX || /\p{Cc}/u.test(key)) {
      refinement.addIssue({
        code: "custom",
        params: { code: "invalid_idempotency_key" },
        message: `The Idempotency-Key has ${key.length} character${key.length === 1 ? "" : "s"}; it must have ${CHARS_MIN} to ${CHARS_MAX} printable characters, for example a UUID.`,
      });
    }
  })
  .describe("8 to 255 characters. A repeat within 24 hours changes nothing.");
