import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormError } from "../../../src/formats/form-error.ts";
import { formBoundary, readFormFile } from "../../../src/formats/form-file-reader.ts";

/** Returns a body in pieces of these sizes, in one reused buffer, like the runtime. */
function reader(body: Uint8Array, sizes: readonly number[]) {
  let at = 0;
  let turn = 0;
  const buffer = new Uint8Array(Math.max(1, ...sizes));
  return () => {
    if (at >= body.byteLength) {
      return Promise.resolve(undefined);
    }
    buffer.fill(0x21);
    const size = Math.min(sizes[turn++ % sizes.length] ?? 1, body.byteLength - at);
    buffer.set(body.subarray(at, at + size));
    at += size;
    return Promise.resolve(buffer.subarray(0, size));
  };
}

const form = (content: Uint8Array, boundary = "b", more = "") =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"${more}\r\n\r\n`,
    ),
    content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);

async function read(body: Uint8Array, sizes: readonly number[], boundary = "b") {
  const file = await readFormFile(reader(body, sizes), boundary, "file");
  if (file === undefined) {
    return undefined;
  }
  const pieces: Buffer[] = [];
  for await (const piece of file.bytes) {
    pieces.push(Buffer.from(piece));
  }
  return { name: file.name, bytes: Buffer.concat(pieces) };
}

describe("a form read as a stream", () => {
  it("returns pieces whose slice is a copy, so that a caller can keep them", async () => {
    const content = Buffer.from("0123456789".repeat(40));
    for (const size of [7, 60, 200, 1_000]) {
      const file = await readFormFile(reader(form(content), [size]), "b", "file");
      const kept: Uint8Array[] = [];
      for await (const piece of file!.bytes) {
        kept.push(piece.slice());
      }
      expect(Buffer.concat(kept).toString()).toBe(content.toString());
    }
  });

  it("returns the file's exact bytes, with pieces of any size and content that resembles a boundary", async () => {
    const piece = fc.constantFrom(
      "\r\n--b",
      "\r\n--",
      "\r\n-",
      "\r",
      "\n",
      "--b--",
      "x",
      "\r\n--bc".slice(0, 5),
      "0123456789",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
        async (parts, sizes) => {
          // The content must not contain the boundary itself: a client would have chosen another
          // one.
          const content = Buffer.from(parts.join("").replaceAll("--b", "--a"));
          const found = await read(form(content), sizes);
          expect(found?.bytes.equals(content)).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("is rejected when cut at any position", async () => {
    const whole = form(Buffer.from("hello"));
    for (let length = 0; length < whole.byteLength - 4; length++) {
      await expect(read(whole.subarray(0, length), [7]), String(length)).rejects.toThrow(FormError);
    }
  });

  it("skips other fields, and returns no file if there is none", async () => {
    const field = Buffer.from('--b\r\nContent-Disposition: form-data; name="note"\r\n\r\nhi\r\n');
    expect(
      (await read(Buffer.concat([field, form(Buffer.from("x"))]), [5]))?.bytes.toString(),
    ).toBe("x");
    expect(await read(Buffer.concat([field, Buffer.from("--b--\r\n")]), [5])).toBeUndefined();
    expect((await read(form(new Uint8Array()), [3]))?.bytes.byteLength).toBe(0);
    const many = Buffer.concat([
      ...Array.from({ length: 30 }, () => field),
      form(Buffer.from("x")),
    ]);
    await expect(read(many, [4_096])).rejects.toThrow(/more than 20 fields/);
    const large = Buffer.from(
      `--b\r\nContent-Disposition: form-data; name="n"\r\n\r\n${"x".repeat(70_000)}\r\n`,
    );
    await expect(read(Buffer.concat([large, form(Buffer.from("x"))]), [4_096])).rejects.toThrow(
      /65536 bytes/,
    );
  });

  it("reads names as browsers and tools write them", async () => {
    for (const [written, name] of [
      ['"a%22b.txt"', 'a"b.txt'],
      [String.raw`"a\"b.txt"`, 'a"b.txt'],
      ['"é ü.txt"', "é ü.txt"],
      ["plain.txt", "plain.txt"],
    ]) {
      const body = Buffer.from(
        `--b\r\ncontent-disposition:form-data; filename=${written}; name=file\r\n\r\nx\r\n--b--`,
      );
      expect((await read(body, [3]))?.name).toBe(name);
    }
  });

  it("rejects endless headers, invalid boundaries and bodies that are not forms", async () => {
    const endless = Buffer.from(`--b\r\nX: ${"y".repeat(20_000)}`);
    await expect(read(endless, [1_000])).rejects.toThrow(/headers of a field/);
    await expect(read(Buffer.from("x".repeat(40_000)), [1_000])).rejects.toThrow(FormError);
    expect(formBoundary("application/json")).toBeUndefined();
    expect(formBoundary('multipart/form-data; boundary="a b"')).toBe("a b");
    expect(formBoundary("multipart/form-data; charset=utf-8; boundary=abc")).toBe("abc");
    for (const type of [
      "multipart/form-data",
      "multipart/form-data; boundary=",
      `multipart/form-data; boundary=${"x".repeat(71)}`,
    ]) {
      expect(() => formBoundary(type), type).toThrow(FormError);
    }
  });
});
