import { expect, test } from "vitest";
import { FileRef } from "../../../src/lib/files/file-ref.ts";

const FIELDS = { key: "ws_1/a.wav", name: "a.wav", contentType: "audio/wav", sizeBytes: 9 };

test("the digest of a file is required where a report states it: one that is unknown throws", () => {
  const sha256 = "ab".repeat(32);
  expect(new FileRef({ ...FIELDS, sha256 }).requireSha256()).toBe(sha256);
  expect(() => new FileRef(FIELDS).requireSha256()).toThrow(TypeError);
  expect(() => new FileRef(FIELDS).with({ name: "b.wav" }).requireSha256()).toThrow(/digest/);
});
