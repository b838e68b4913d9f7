import { describe, expect, it } from "vitest";
import { checkIdempotencyKey } from "../../../src/domain/idempotency/idempotency-key.ts";
import { requestFingerprint } from "../../../src/domain/idempotency/request-fingerprint.ts";
import { parseJson } from "../../../src/lib/json/exact-json.ts";

describe("an idempotency key", () => {
  it("has 8 to 255 characters and no control characters; a UUID is not required", () => {
    expect(checkIdempotencyKey(undefined)).toBeNull();
    expect(checkIdempotencyKey("12345678")).toBe("12345678");
    expect(checkIdempotencyKey("k".repeat(255))).toHaveLength(255);
    for (const key of [
      "",
      "1234567",
      "k".repeat(256),
      "12345678\t",
      "1234\u007f5678",
      "1234\u00855678",
    ]) {
      expect(() => checkIdempotencyKey(key)).toThrowError(
        expect.objectContaining({ code: "invalid_idempotency_key", status: 400 }),
      );
    }
  });
});

describe("a fingerprint", () => {
  const of = (text: string) => requestFingerprint(parseJson(text));

  it("is the same for every notation of one body and different for another body", async () => {
    const first = await of('{"workflow":"w","admission_limits":{"a":1,"b":2}}');
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await of(' {"admission_limits" : {"b":2,"a":1}, "workflow":"\\u0077"} ')).toBe(first);
    expect(await of('{"workflow":"w","admission_limits":{"a":1,"b":3}}')).not.toBe(first);
    expect(await of('{"workflow":"w","admission_limits":{"a":1,"b":2},"inputs":{}}')).not.toBe(
      first,
    );
  });
});
