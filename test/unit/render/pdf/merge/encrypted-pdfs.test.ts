/**
 * PDFs that an owner password protects are joined as the same PDFs without one. The files of `test/fixtures/pdf` are of qpdf 11.3,
 * from one source: `qpdf --static-id --object-streams=… source.pdf aes-128.pdf --encrypt "" owner 128 --use-aes=y --`, with
 * `--cleartext-metadata` for metadata, `--force-R5`, and a user password instead of "".
 */
import { createCipheriv } from "node:crypto";
import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { PDFContext, PDFHexString, PDFName, PDFRef } from "pdf-lib";
import { describe, expect, it } from "vitest";
import type { ByteSource } from "../../../../../src/lib/files/byte-source.ts";
import { MemorySource } from "../../../../../src/lib/files/memory-source.ts";
import { mergePdfs } from "../../../../../src/render/pdf/merge/merge-pdfs.ts";
import { outlinePdf } from "../../../../../src/render/pdf/merge/outline-pdf.ts";
import {
  decrypted,
  decryptedPieces,
  END_BYTES,
  plainSize,
  Rc4,
} from "../../../../../src/render/pdf/merge/pdf-cipher.ts";
import { objectKey, shortKey } from "../../../../../src/render/pdf/merge/pdf-keys.ts";
import { joined } from "../../../../support/pdf/plain-options.ts";
import { SeededRandom } from "../../../../simulation/seeded-random.ts";

const ID = new Uint8Array(16).fill(7);
const NAME = "Document 1";
const SIZES = [{ blockBytes: 24, bodyBytesMin: 1 }, { blockBytes: 1_000, bodyBytesMin: 50 }, {}];

const fixture = (name: string) => readFileSync(`test/fixtures/pdf/${name}.pdf`);

const whole = (bytes: Uint8Array) => joined(mergePdfs([{ name: NAME, bytes }], ID));

/** As a document that is too large for memory is joined. */
async function byRanges(source: ByteSource, sizes: (typeof SIZES)[number]) {
  const outline = await outlinePdf(source, NAME, sizes);
  return {
    bytes: await joined(mergePdfs([{ name: NAME, ...outline }], ID)),
    left: outline.bodies.count,
  };
}

const binary = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

describe("a PDF that only an owner password protects", () => {
  it.each(["rc4-40", "rc4-128", "aes-128", "aes-128-metadata", "aes-256", "aes-256-r5"])(
    "is joined as without it, in memory and by ranges: %s",
    async (name) => {
      const plain = await whole(fixture(name.endsWith("metadata") ? "plain-metadata" : "plain"));
      const file = fixture(name);
      expect(binary(plain)).toContain("Indexed");
      expect(binary(file)).toContain("/Encrypt");
      expect(Buffer.from(await whole(file)).equals(Buffer.from(plain))).toBe(true);
      for (const [i, sizes] of SIZES.entries()) {
        const { bytes, left } = await byRanges(new MemorySource(file, "one"), sizes);
        expect(Buffer.from(bytes).equals(Buffer.from(plain)), JSON.stringify(sizes)).toBe(true);
        expect(left).toBeGreaterThanOrEqual([4, 2, 0][i] ?? 0);
      }
    },
  );

  it.each(["rc4-128-user", "aes-256-user"])("is refused with a user password: %s", async (name) => {
    const refused = { code: "PDF_ENCRYPTED", message: expect.stringContaining(NAME) as string };
    await expect(whole(fixture(name))).rejects.toMatchObject(refused);
    const source = new MemorySource(fixture(name), "one");
    await expect(byRanges(source, SIZES[0]!)).rejects.toMatchObject(refused);
  });

  it("keeps the bytes of a stream that its own filter leaves as it is, and refuses another filter", async () => {
    const file = binary(fixture("aes-128-metadata"));
    const at = file.indexOf("/Type /Metadata");
    const changed = (to: string) =>
      Buffer.from(file.slice(0, at) + to + file.slice(at + "/Type /Metadata".length), "latin1");
    const [identity, other] = ["/Filter /Crypt", "/Filter/Crypt/DecodeParms<</Name/StdCF>>"];
    expect(binary(await whole(changed(identity!)))).toContain("<x:xmpmeta");
    await expect(whole(changed(other!))).rejects.toMatchObject({
      code: "PDF_UNREADABLE",
      message: expect.stringContaining("is encrypted in a way that cannot be read") as string,
    });
  });
});

/** Changes of `/Encrypt` and of the trailer, in the text of a file. */
const HOSTILE: readonly (readonly [
  file: string,
  change: (text: string) => string,
  code: string,
])[] = [
  ["rc4-128", (text) => text.replace("/Filter /Standard", "/Filter /Adobe.PubSec"), "UNREADABLE"],
  ["rc4-128", (text) => text.replace("/Filter /Standard", "/Filter (Standard)"), "UNREADABLE"],
  ["rc4-128", (text) => text.replace("/V 2", "/V 3"), "UNREADABLE"],
  ["rc4-128", (text) => text.replace("/V 2", "/V 1e9"), "UNREADABLE"],
  ["rc4-128", (text) => text.replace("/R 3", "/R 7"), "UNREADABLE"],
  ["rc4-128", (text) => text.replace("/R 3", "/R 2"), "ENCRYPTED"],
  ["rc4-128", (text) => text.replace("/Length 128", "/Length 20"), "UNREADABLE"],
  ["rc4-128", (text) => text.replace("/Length 128", "/Length 8000"), "UNREADABLE"],
  ["rc4-128", (text) => text.replace("/Length 128", "/Length 44"), "UNREADABLE"],
  ["rc4-128", (text) => text.replace("/Length 128", "/Length 40"), "ENCRYPTED"],
  ["rc4-128", (text) => text.replace(/\/O <\w+>/, "/O <00>"), "UNREADABLE"],
  ["rc4-128", (text) => text.replace(/\/O <\w+>/, `/O [${"[".repeat(50)}`), "UNREADABLE"],
  ["rc4-128", (text) => text.replace(/\/U <\w+>/, "/U 9 0 R"), "UNREADABLE"],
  ["rc4-128", (text) => text.replace(/\/U <\w+>/, `/U <${"00".repeat(32)}>`), "ENCRYPTED"],
  ["rc4-128", (text) => text.replace(/\/P -?\d+/, "/P /None"), "ENCRYPTED"],
  ["rc4-128", (text) => text.replace(/\/ID \[[^\]]*\]/, ""), "ENCRYPTED"],
  ["rc4-128", (text) => text.replace(/\/ID \[[^\]]*\]/, "/ID 3 0 R"), "ENCRYPTED"],
  ["rc4-128", (text) => text.replace(/\/Encrypt \d+ 0 R/, "/Encrypt 3 0 R"), "UNREADABLE"],
  ["rc4-128", (text) => text.replace(/\/Encrypt \d+ 0 R/, "/Encrypt [1 2]"), "UNREADABLE"],
  ["aes-128", (text) => text.replace("/CFM /AESV2", "/CFM /AESV9"), "UNREADABLE"],
  ["aes-128", (text) => text.replace("/CFM /AESV2", "/CFM /AESV3"), "UNREADABLE"],
  ["aes-128", (text) => text.replace("/StmF /StdCF", "/StmF /Other"), "UNREADABLE"],
  ["aes-128", (text) => text.replace("/StmF /StdCF", "/StmF /CF"), "UNREADABLE"],
  ["aes-128", (text) => text.replace(/\/CF <<.*?>> >>/, "/CF 12 0 R"), "UNREADABLE"],
  ["aes-128", (text) => text.replace("/Length 128", "/Length 40"), "ENCRYPTED"],
  ["aes-256", (text) => text.replace(/\/UE <\w+>/, "/UE <0011>"), "UNREADABLE"],
  ["aes-256", (text) => text.replace(/\/UE <\w+>/, `/UE <${"00".repeat(32)}>`), "UNREADABLE"],
  ["aes-256", (text) => text.replace(/\/U <\w+>/, "/U (short)"), "UNREADABLE"],
  ["aes-256", (text) => text.replace(/\/U <\w+>/, `/U <${"41".repeat(48)}>`), "ENCRYPTED"],
  ["aes-256", (text) => text.replace("/R 6", "/R 5"), "ENCRYPTED"],
  ["aes-256", (text) => text.replace("/R 6", "/R 4"), "UNREADABLE"],
  ["aes-256", (text) => text.replace("/CFM /AESV3", "/CFM /AESV2"), "UNREADABLE"],
];

describe("a hostile dictionary of encryption", () => {
  it.each(HOSTILE)("in %s: %s", async (name, change, code) => {
    const text = binary(fixture(name));
    const changed = Buffer.from(change(text), "latin1");
    expect(changed.equals(fixture(name))).toBe(false);
    await expect(whole(changed)).rejects.toMatchObject({ code: `PDF_${code}` });
    const source = new MemorySource(changed, "one");
    await expect(byRanges(source, SIZES[0]!)).rejects.toMatchObject({ code: `PDF_${code}` });
  });
});

describe("encrypted object streams", () => {
  const NUMBER = 900;

  /** The file with one more object stream, whose object takes the place of the font. */
  function withPacked(name: string, unpacked: (font: string) => string): Buffer {
    const text = binary(fixture(name));
    const font = /\/Font << \/\S+ (\d+) 0 R/.exec(text)?.[1] ?? "";
    const head = `${font} 0 `;
    const packed = deflateSync(Buffer.from(head + unpacked(font)), { level: 1 });
    const bytes = text.includes("/Encrypt")
      ? new Rc4(objectKey(keyOf(text), PDFRef.of(NUMBER), "rc4")).apply(packed)
      : packed;
    const entries = `/Type/ObjStm/N 1/First ${head.length}/Filter/FlateDecode/Length ${bytes.length}`;
    const object = `${NUMBER} 0 obj\n<<${entries}>>stream\n${binary(bytes)}\nendstream\nendobj\n`;
    return Buffer.from(
      text.replace(/xref\n0/, () => `${object}xref\n0`),
      "latin1",
    );
  }

  function keyOf(text: string): Uint8Array {
    const hex = (pattern: RegExp) => PDFHexString.of(pattern.exec(text)?.[1] ?? "");
    const dict = PDFContext.create().obj({ V: 1, R: 2, P: Number(/\/P (-?\d+)/.exec(text)?.[1]) });
    dict.set(PDFName.of("O"), hex(/\/O <(\w+)>/));
    dict.set(PDFName.of("U"), hex(/\/U <(\w+)>/));
    return shortKey(dict, 1, hex(/\/ID \[<(\w+)>/).asBytes())!;
  }

  it("are read up to the size of those that are not", async () => {
    const numbers = Array.from({ length: 100_000 }, (_, i) => (i * 7_919) % 1_000_003).join(" ");
    const unpacked = () => `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Numbers[${numbers}]>>`;
    const [plain, owned] = [withPacked("plain", unpacked), withPacked("rc4-40", unpacked)];
    expect(owned.length).toBeGreaterThan(200_000);
    const merged = await whole(owned);
    expect(Buffer.from(merged).equals(Buffer.from(await whole(plain)))).toBe(true);
    expect(merged.length).toBeGreaterThan(100_000);
  });

  it("are refused when they unpack to more", async () => {
    const owned = withPacked("rc4-40", () => `<</A 1>>${" ".repeat(50.5e6)}`);
    const refused = {
      code: "PDF_UNREADABLE",
      message: expect.stringContaining("damaged or too large") as string,
    };
    await expect(whole(owned)).rejects.toMatchObject(refused);
    const source = new MemorySource(owned, "one");
    await expect(byRanges(source, SIZES[1]!)).rejects.toMatchObject(refused);
  });
});

describe("decryption in pieces", () => {
  const random = new SeededRandom(7);
  const bytesOf = (size: number) => Uint8Array.from({ length: size }, () => random.int(0, 255));

  async function* cut(bytes: Uint8Array) {
    for (let at = 0; at < bytes.length;) {
      const to = at + random.int(1, 40);
      yield await Promise.resolve(bytes.subarray(at, to));
      at = to;
    }
  }

  it("gives the bytes and the size that the whole gives, whatever the pieces, padding and rest", async () => {
    for (let size = 0; size < 120; size += 1) {
      for (const key of [bytesOf(16), bytesOf(32)]) {
        const plain = bytesOf(size);
        const vector = bytesOf(16);
        const encrypt = createCipheriv(`aes-${8 * key.length}-cbc`, key, vector);
        const encrypted = Buffer.concat([vector, encrypt.update(plain), encrypt.final()]);
        for (const data of [encrypted, Buffer.concat([encrypted, bytesOf(size % 16)])]) {
          const cipher = { kind: "aes", key } as const;
          const sizeBytes = plainSize(cipher, data.length, data.subarray(-END_BYTES));
          expect(Buffer.from(decrypted(cipher, data)).equals(Buffer.from(plain))).toBe(true);
          const pieces = await joined(decryptedPieces(cipher, cut(data), sizeBytes));
          expect(Buffer.from(pieces).equals(Buffer.from(plain))).toBe(true);
          expect(sizeBytes).toBe(size);
        }
      }
      const data = bytesOf(size);
      const cipher = { kind: "rc4", key: bytesOf(5 + (size % 12)) } as const;
      const pieces = await joined(decryptedPieces(cipher, cut(data), data.length));
      expect(Buffer.from(pieces).equals(Buffer.from(decrypted(cipher, data)))).toBe(true);
    }
  });

  it("keeps what has no padding, and is empty without a whole block", async () => {
    const cipher = { kind: "aes", key: bytesOf(16) } as const;
    const vector = bytesOf(16);
    const encrypt = createCipheriv("aes-128-cbc", cipher.key, vector).setAutoPadding(false);
    const plain = Buffer.concat([bytesOf(31), Buffer.from([17])]);
    const data = Buffer.concat([vector, encrypt.update(plain)]);
    expect(Buffer.from(decrypted(cipher, data)).equals(plain)).toBe(true);
    for (let size = 0; size < 32; size += 1) {
      expect(decrypted(cipher, data.subarray(0, size))).toHaveLength(0);
      expect(await joined(decryptedPieces(cipher, cut(data.subarray(0, size)), 0))).toHaveLength(0);
    }
  });
});
