import { writeXlsx } from "hucre";
import { describe, expect, it } from "vitest";
import type { ByteSource } from "../../../src/lib/files/byte-source.ts";
import { profileDataset } from "../../../src/datasets/profile/profile-dataset.ts";
import { openWorkbook } from "../../../src/datasets/xlsx/open-workbook.ts";
import { RowWriter } from "../../../src/datasets/rows/row-writer.ts";
import { DEFAULT_OPTIONS } from "../../support/datasets/inspect-bytes.ts";
import { makeWorkbook } from "../../support/datasets/make-workbook.ts";
import { MemorySource } from "../../support/datasets/memory-source.ts";
import { liveBytes } from "../../support/datasets/live-bytes.ts";
import { testInProof } from "../../support/in-proof.ts";
import { sizeOf } from "../../support/sizes.ts";

const MB = 1024 * 1024;
/** Memory limit of every reader. */
const LIVE_MAX = 64 * MB;
const FILE_BYTES = sizeOf("longFileMegabytes") * MB;

/** A file that is never in memory: its pieces repeat one row. */
class EndlessSource implements ByteSource {
  readonly sizeBytes = FILE_BYTES;
  readonly etag = "endless";
  peak = 0;
  readonly #head: Uint8Array;
  readonly #piece: Uint8Array;
  readonly #tail: Uint8Array;

  constructor(head: string, row: string, tail: string) {
    const encoder = new TextEncoder();
    this.#head = encoder.encode(head);
    this.#piece = encoder.encode(row.repeat(Math.ceil(65_536 / row.length)));
    this.#tail = encoder.encode(tail);
  }

  read(): Promise<Uint8Array> {
    return Promise.resolve(this.#head);
  }

  stream(): Promise<ReadableStream<Uint8Array>> {
    let sent = 0;
    let pulls = 0;
    return Promise.resolve(
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          pulls++;
          if (pulls % (FILE_BYTES > 100 * MB ? 256 : 32) === 0) {
            this.peak = Math.max(this.peak, liveBytes());
          }
          if (sent === 0) {
            controller.enqueue(this.#head);
          }
          controller.enqueue(this.#piece.slice());
          sent += this.#piece.length;
          if (sent >= this.sizeBytes) {
            controller.enqueue(this.#tail);
            controller.close();
          }
        },
      }),
    );
  }
}

it("a workbook of many rows is read and stored row by row", async () => {
  const rows = Array.from({ length: Math.floor(Math.min(FILE_BYTES, 60 * MB) / 300) }, (_, i) => [
    i,
    `Name ${i}`,
    `A longer note about row ${i}, which no other row has`,
    i / 7,
  ]);
  const bytes = await writeXlsx({
    sheets: [{ name: "Rows", rows: [["a", "b", "c", "d"], ...rows] }],
  } as never);
  const count = rows.length;
  rows.length = 0;
  // The writer's memory is released in a later turn; until then it would count as held before.
  await new Promise((resolve) => setTimeout(resolve, 0));
  const before = liveBytes();
  let peak = Number.NEGATIVE_INFINITY;
  let chunks = 0;
  const { profile } = await profileDataset(
    new MemorySource(bytes),
    "d.xlsx",
    DEFAULT_OPTIONS,
    () =>
      new RowWriter((key) => {
        chunks++;
        peak = Math.max(peak, liveBytes() - before);
        return Promise.resolve(key);
      }),
  );
  expect(profile.row_count).toBe(count);
  expect(chunks).toBeGreaterThan(1);
  // Sampled in each chunk: earlier memory may have been released, so it need not be above zero.
  expect(Number.isFinite(peak)).toBe(true);
  expect(peak).toBeLessThan(LIVE_MAX);
});

function workbookOf(item: string, strings: number): Uint8Array {
  return makeWorkbook({
    sharedStrings: Array.from({ length: strings }, (_, i) => {
      // Incompressible digits, so that the file is not a bomb.
      const id = String(i).padStart(8, "0") + ((i * 2_654_435_761) % 4_294_967_296).toString(36);
      return `<si>${item.replace("#", id)}</si>`;
    }).join(""),
  });
}

const STRINGS: readonly (readonly [string, string, number])[] = [
  ["short", "<t>item #</t>", 900_000],
  [
    "in rich text",
    '<r><rPr><b/><sz val="11"/><color rgb="FF000000"/><rFont val="Calibri"/></rPr><t>item #</t></r>',
    900_000,
  ],
  ["of wide characters", `<t># ${"漢字の文章".repeat(20)}</t>`, 180_000],
];

testInProof.each(STRINGS)(
  "a workbook's shared strings, %s, need memory for their text and not for the file",
  async (_kind, item, count) => {
    const bytes = workbookOf(item, count);
    await new Promise((resolve) => setTimeout(resolve, 0));
    const before = liveBytes();
    const workbook = await openWorkbook(new MemorySource(bytes));
    const strings = await workbook.sharedStrings();
    const held = liveBytes() - before;
    expect(strings).toHaveLength(count);
    expect(strings.at(-1)).toContain(String(count - 1));
    expect(held).toBeLessThan(LIVE_MAX);
  },
);

describe("memory is bounded for a file of any size", () => {
  it.each([
    ["d.csv", "a,b,c,d\n", '1,"two, quoted",2024-01-01,3.50\n', ""],
    ["d.ndjson", "", '{"a":1,"b":"two","c":[1,2,{"d":null}]}\n', ""],
    ["d.json", '{"x":[1],"t":[', '{"a":1,"b":"two","c":[1,2,{"d":null}]},', '{"a":2}]}'],
    // An endless field and an endless element: rejected instead of collected.
    ["endless.csv", 'a\n"', "never closed ", ""],
    ["endless.json", '{"t":["', "never closed ", ""],
  ])(
    "%s",
    async (name, head, row, tail) => {
      const source = new EndlessSource(head, row, tail);
      const before = liveBytes();
      let stored = 0;
      const reading = profileDataset(
        source,
        name,
        { ...DEFAULT_OPTIONS, table: name.endsWith(".json") ? "$.t" : null },
        () =>
          new RowWriter((key, bytes) => {
            stored += bytes.length;
            return Promise.resolve(key);
          }),
      );
      if (name.startsWith("endless")) {
        await expect(reading).rejects.toThrow(/longer|larger/);
      } else {
        const { profile } = await reading;
        expect(profile.row_count).toBeGreaterThanOrEqual(FILE_BYTES / row.length);
        expect(stored).toBeGreaterThan(FILE_BYTES / 2);
        expect(source.peak).toBeGreaterThan(0);
      }
      expect(Math.max(0, source.peak - before)).toBeLessThan(LIVE_MAX);
    },
    300_000,
  );
});
