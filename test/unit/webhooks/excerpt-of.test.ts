import { expect, test } from "vitest";
import { excerptOf } from "../../../src/domain/webhooks/deliveries/send-attempt.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("an excerpt is the text of a response, cut between characters", () => {
  expect(excerptOf(bytes("ok"), "text/plain")).toBe("ok");
  expect(excerptOf(bytes('{"a":1}'), "application/problem+json; charset=utf-8")).toBe('{"a":1}');
  expect(excerptOf(bytes("fine"), null)).toBe("fine");
  expect(excerptOf(bytes("aé中").subarray(0, 5), "text/html")).toBe("aé");
});

test("an excerpt of a body that is not text is empty", () => {
  expect(excerptOf(bytes("ok"), "image/png")).toBe("");
  expect(excerptOf(bytes("ok"), "application/octet-stream")).toBe("");
  expect(excerptOf(Uint8Array.of(0x6f, 0xff, 0x6b), "text/plain")).toBe("");
  expect(excerptOf(bytes("a\u0000b"), "text/plain")).toBe("");
  expect(excerptOf(new Uint8Array(), "text/plain")).toBe("");
});
