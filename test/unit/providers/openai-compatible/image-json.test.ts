/** The streaming reader of `{data: [{b64_json}]}`, compared with `JSON.parse` on answers that are cut in every way. */
import { describe, expect, test } from "vitest";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { openImageJson } from "../../../../src/providers/openai-compatible/image-json.ts";

const BYTES = Buffer.from(Array.from({ length: 1_000 }, (_, at) => (at * 151) % 256));
const BASE64 = BYTES.toString("base64");

interface Body {
  readonly text: string;
  readonly pieceBytes?: number;
}

/** Counts what was read of a body, and whether the reader ended it. */
function bodyOf({ text, pieceBytes = 64 }: Body) {
  const bytes = Buffer.from(text);
  const seen = { pieces: 0, isEnded: false };
  async function* pieces() {
    try {
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        seen.pieces += 1;
        yield await Promise.resolve(bytes.subarray(at, at + pieceBytes));
      }
    } finally {
      seen.isEnded = true;
    }
  }
  return { seen, pieces: pieces() };
}

async function read(body: Body) {
  const { seen, pieces } = bodyOf(body);
  try {
    const answer = await openImageJson(pieces);
    if (answer.kind === "url") {
      return { url: answer.url, seen };
    }
    const read: Uint8Array[] = [];
    for await (const piece of answer.pieces) {
      read.push(piece.slice());
    }
    return { bytes: Buffer.concat(read), seen };
  } catch (error) {
    expect(error).toBeInstanceOf(NodeError);
    expect((error as NodeError).message).not.toContain("MARKER");
    return { code: (error as NodeError).code, seen };
  }
}

const answer = (item: unknown, more: object = {}) =>
  JSON.stringify({ created: 1, usage: { a: [1, { b64_json: "AAAA" }] }, ...more, data: [item] });

describe("the first picture's base64", () => {
  test.each([1, 2, 3, 5, 64, 4_096])("in pieces of %i bytes", async (pieceBytes) => {
    const text = answer({ revised_prompt: 'b64_json: "x" \\ é 🎨', b64_json: BASE64 });
    const { bytes, seen } = await read({ text, pieceBytes });
    expect([bytes?.equals(BYTES), seen.isEnded]).toEqual([true, true]);
  });

  test.each([0, 1, 2, 3, 4, 5])("of %i bytes less, with and without padding", async (fewer) => {
    const bytes = BYTES.subarray(fewer);
    for (const base64 of [bytes.toString("base64"), bytes.toString("base64").replace(/=+$/, "")]) {
      // oxlint-disable-next-line no-await-in-loop -- two short texts
      expect((await read({ text: answer({ b64_json: base64 }) })).bytes?.equals(bytes)).toBe(true);
    }
  });

  test.each([1, 2, 3, 5, 7])("with escapes, in pieces of %i bytes", async (pieceBytes) => {
    let at = 0;
    const escaped = BASE64.replaceAll(/(.{76})/g, "$1\\r\\n").replaceAll(/[/+]/g, (letter) =>
      letter === "/" ? "\\/" : at++ % 2 === 0 ? "\\u002B" : "\\u002b",
    );
    expect(JSON.parse(`"${escaped}"`)).toMatch(/\r\n/);
    const text = `{ "data" : [ { "b64_json" :\n "${escaped}" } ] }`;
    expect((await read({ text, pieceBytes })).bytes?.equals(BYTES)).toBe(true);
  });

  test("is found after null, an empty text and a picture without one", async () => {
    const text = JSON.stringify({
      data: [{ b64_json: null }, { b64_json: "" }, {}, { b64_json: BASE64 }],
    });
    expect((await read({ text, pieceBytes: 1 })).bytes?.equals(BYTES)).toBe(true);
  });

  test("is the last that is read: more pictures than asked for cost nothing", async () => {
    const items = Array.from({ length: 50 }, () => ({ b64_json: BASE64 }));
    const { bytes, seen } = await read({ text: JSON.stringify({ data: items }) });
    expect(bytes?.equals(BYTES)).toBe(true);
    expect(seen).toEqual({ pieces: expect.any(Number) as number, isEnded: true });
    expect(seen.pieces).toBeLessThan(30);
  });
});

test.each([1, 64])("an address, in pieces of %i bytes", async (pieceBytes) => {
  const text = answer({ b64_json: "", url: "https://files.example.com/a.png" });
  expect((await read({ text, pieceBytes })).url).toBe("https://files.example.com/a.png");
});

const BAD = "PROVIDER_BAD_OUTPUT";

describe("is not what was asked for", () => {
  test.each([
    ["an HTML page", "<!DOCTYPE html><p>MARKER</p>"],
    ["nothing", ""],
    ["half of a document", '{"data":[{"url":"https://MARK'],
    ["half of the base64", `{"data":[{"b64_json":"${BASE64.slice(0, 500)}`],
    ["no data", '{"error":{"message":"MARKER"}}'],
    ["no pictures", '{"data":[]}'],
    ["a picture elsewhere", JSON.stringify({ b64_json: BASE64, data: [[{ b64_json: BASE64 }]] })],
    ["another kind of value", '{"data":[{"b64_json":7,"url":7}]}'],
    ["other letters", answer({ b64_json: "AAAA%%%%AAAA" })],
    ["an escaped letter", '{"data":[{"b64_json":"AA\\tA"}]}'],
    ["the rest of an escape", '{"data":[{"b64_json":"AAA\\u00"}]}'],
    ["one letter too many", answer({ b64_json: "AAAAA" })],
    ["letters after the padding", answer({ b64_json: "AA==AAAA" })],
    ["a data address", answer({ b64_json: "data:image/png;base64,AAAA" })],
    ["10⁵ levels", `{"data":${"[".repeat(100_000)}`],
    ["two documents", '{"a":1}<html>'],
  ])("%s", async (_, text) => {
    const { code, seen } = await read({ text, pieceBytes: 16 });
    expect([code, seen.isEnded || text === ""]).toEqual([BAD, true]);
  });

  test("ends an endless body at once if it is not JSON, and at its limit if it is", async () => {
    const { seen } = await read({ text: "<".repeat(1_000_000), pieceBytes: 100 });
    expect(seen).toEqual({ pieces: 1, isEnded: true });
    const long = await read({
      text: `{"a":"${"x".repeat(9 * 1024 * 1024)}`,
      pieceBytes: 1024 * 1024,
    });
    expect([long.code, long.seen]).toEqual([BAD, { pieces: 9, isEnded: true }]);
  });
});
