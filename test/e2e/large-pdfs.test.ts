/**
 * PDFs above 16 and 32 MiB, and a PDF of as many pages as one may have, through `aggregate/pdf` and `utility/merge_pdf`: bytes, texts,
 * the limit of pages, and the renderer's memory.
 */
import "../support/only-in-proof.ts";
import { createHash } from "node:crypto";
import { PDFDocument, PDFName, StandardFonts } from "pdf-lib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { LIMITS } from "../../src/lib/limits/limits-table.ts";
import { PDF_COPIED } from "../support/node/live-bytes/watch-points.ts";
import { WatchedService } from "../support/node/live-bytes/watched-service.ts";
import { filesOf, guid, node, publishTemplate, wordsOf } from "../support/node/template-runs.ts";
import { SeededRandom } from "../simulation/seeded-random.ts";

const MB = 1024 * 1024;
const BYTES_MAX = 100 * MB;
/** Of a picture that no compression makes smaller. */
const [WIDTH, HEIGHT] = [4_500, 4_000];
/** Above the size of documents that are read whole. */
const TWO = { pictures: 2, isOwned: true };
const PAGES_MAX = LIMITS.merged_pages.value;

let watched: WatchedService;

beforeAll(async () => {
  watched = await WatchedService.start({
    workers: ["renderer"],
    points: { renderer: [PDF_COPIED] },
  });
});

afterAll(() => watched?.stop());

/** One page with a word and so many pictures of 18 MB. `isOwned` encrypts it with an owner password. */
async function largePdf(
  word: string,
  seed: number,
  { pictures = 1, isOwned = false } = {},
): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const page = document.addPage([300, 200]);
  const font = await document.embedFont(StandardFonts.Helvetica);
  page.drawText(word, { x: 20, y: 100, font, size: 20 });
  const random = new SeededRandom(seed);
  for (let number = 0; number < pictures; number += 1) {
    const words = new Uint32Array((WIDTH * HEIGHT) / 4);
    for (let at = 0; at < words.length; at += 1) {
      words[at] = random.int(0, 0xff_ff_ff_ff);
    }
    const picture = document.context.register(
      document.context.stream(new Uint8Array(words.buffer), {
        Type: "XObject",
        Subtype: "Image",
        Width: WIDTH,
        Height: HEIGHT,
        ColorSpace: "DeviceGray",
        BitsPerComponent: 8,
      }),
    );
    page.node.setXObject(PDFName.of(`Noise${number}`), picture);
  }
  if (isOwned) {
    document.encrypt({ userPassword: "", ownerPassword: "owner", permissions: {} });
  }
  return await document.save();
}

/** A workflow that joins two documents. */
const joins = () =>
  watched.publish(
    "Joins",
    [
      { id: "one", type: "input/document" },
      { id: "two", type: "input/document" },
      { id: "join", type: "utility/merge_pdf" },
      { id: "out", type: "output/document", parameters: { key: "pdf" } },
    ],
    [
      "one.document > join.documents",
      "two.document > join.documents",
      "join.document > out.document",
    ],
  );

const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

test(
  "PDFs of 18 and 36 MB, the larger with an owner password, are joined, twice to the same bytes, and the result again",
  { timeout: 300_000 },
  async () => {
    const { client } = watched;
    const [one, two] = await Promise.all([largePdf("One", 1), largePdf("Two", 2, TWO)]);
    expect(two.length).toBeGreaterThan(LIMITS.read_file.value);
    const paths = [await watched.upload("one.pdf", [one]), await watched.upload("two.pdf", [two])];
    const workflow = await joins();
    const inputs = { one: { asset_path: paths[0]! }, two: { asset_path: paths[1]! } };
    const digests: string[] = [];
    const { most, at, met } = await watched.watch("renderer").during(async () => {
      for (let round = 0; round < 2; round += 1) {
        const { id } = await watched.run(workflow, inputs);
        const [file] = await filesOf(client, id);
        expect(file!.length).toBeGreaterThan(one.length + two.length - MB);
        expect(await wordsOf([file!])).toEqual(["One", "Two"]);
        digests.push(digestOf(file!));
        if (round === 1) {
          const paths = [await watched.upload("both.pdf", [file!])];
          const again = { one: { asset_path: paths[0]! }, two: inputs.one };
          const { id: last } = await watched.run(workflow, again);
          const [joined] = await filesOf(client, last);
          expect(joined!.length).toBeGreaterThan(file!.length + one.length - MB);
          expect(await wordsOf([joined!])).toEqual(["One", "Two", "One"]);
        }
      }
    });
    process.stderr.write(
      `live bytes: PDFs of 18, 36 and 54 MB: ${(most / MB).toFixed(1)} MB in all, ${at}\n`,
    );
    expect(met.has(PDF_COPIED.name)).toBe(true);
    // The whole of the smallest at a time, and what the others are without their pictures.
    expect(most, at).toBeGreaterThan(16 * MB);
    expect(most, at).toBeLessThan(BYTES_MAX);
    expect(digests[1]).toBe(digests[0]);
  },
);

test(
  "a PDF of 18 MB and rows up to 2,000 pages are one PDF; one page more is too many",
  { timeout: 300_000 },
  async () => {
    const { client } = watched;
    const placeholder = { id: guid(3), name: "Name", code: "name", placeholderType: "text" };
    const box = { $type: "text", left: 10, top: 10, width: 180, height: 30 };
    const elements = [{ ...box, id: guid(2), text: "Nobody", placeholder }];
    const template_id = await publishTemplate(client, {
      schemaVersion: "2.0",
      pages: [{ id: guid(1), width: 200, height: 50, elements }],
    });
    const cover = await watched.upload("cover.pdf", [await largePdf("Cover", 3)]);
    const workflow = await watched.publish(
      "Catalog",
      [
        node("rows", "input/json"),
        node("name", "utility/json_path", { path: "$.name", output_type: "text" }),
        node("cover", "input/document"),
        node("all", "aggregate/pdf", { template_id }),
        node("out", "output/document", { key: "pdf" }),
      ],
      [
        "rows.item > name.json",
        "name.value > all.name",
        "cover.document > all.introPdf",
        "all.document > out.document",
      ],
    );
    const names = Array.from({ length: PAGES_MAX - 1 }, (_, i) => `Name ${i}`);
    const { id } = await watched.run(workflow, {
      rows: { value: JSON.stringify(names.map((name) => ({ name }))) },
      cover: { asset_path: cover },
    });
    const file = (await filesOf(client, id))[0]!;
    expect(file.length).toBeGreaterThan(16 * MB);
    expect(await wordsOf([file])).toEqual(["Cover", ...names]);
    const inputs = { one: { asset_path: await watched.upload("all.pdf", [file]) } };
    await watched.wake();
    const more = await submitRun(client, {
      workflow: await joins(),
      inputs: { ...inputs, two: { asset_path: cover } },
    });
    expect(await waitForRun(client, more)).toMatchObject({
      status: "failed",
      error_code: "PDF_TOO_LARGE",
    });
  },
);
