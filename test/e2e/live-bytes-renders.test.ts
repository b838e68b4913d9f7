/**
 * The renderer's memory while renders are asked for at once: its wasm (HarfBuzz, its subsetter, PDFium, the decoders of
 * pictures), buffers and heap together stay below 100 MB, because it renders one document at a time.
 */
import "../support/only-in-proof.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { jpegFile, pngFile, samplePicture, webpFile } from "../support/images/sample-files.ts";
import { expectFound } from "../support/node/live-bytes/expect-found.ts";
import {
  FAULTS,
  MEMORY_FAULTS,
  PAGE_DRAWN,
  PAGE_WRITTEN,
  PDF_HELD,
} from "../support/node/live-bytes/watch-points.ts";
import { WatchedService } from "../support/node/live-bytes/watched-service.ts";
import { waitUntil } from "../support/wait-until.ts";

const MB = 1024 * 1024;
const RENDERS = 20;
const BYTES_MAX = 100 * MB;
/** Families whose files are opened together. */
const FAMILIES = [
  "Noto Sans",
  "Noto Serif",
  "Noto Sans Arabic",
  "Noto Sans Thai",
  "Source Code Pro",
];

let watched: WatchedService;
/** A render for each of as many tenants. */
const asks: (() => Promise<number>)[] = [];

beforeAll(async () => {
  watched = await WatchedService.start({
    workers: ["renderer"],
    points: { renderer: [PDF_HELD, PAGE_DRAWN, PAGE_WRITTEN] },
    faults: { renderer: [FAULTS.pdfium, ...Object.values(MEMORY_FAULTS)] },
  });
  await prepare();
});

afterAll(() => watched?.stop());

const guid = (number: number) => `0b1f4c52-6d1c-4d55-9a36-${number.toString(16).padStart(12, "0")}`;

const text = (number: number, family: string) => ({
  $type: "text",
  id: guid(number),
  left: 10,
  top: 10 + number * 30,
  width: 280,
  height: 28,
  fontFamily: family,
  text: "Authored",
  placeholder: {
    id: guid(number + 0x1000),
    name: `Text ${number}`,
    code: `text_${number}`,
    placeholderType: "text",
  },
});

const picture = (number: number, src: string) => ({
  $type: "image",
  id: guid(number),
  left: 300,
  top: number * 40,
  width: 200,
  height: 38,
  src,
});

/** A template of one page with these elements; returns its path. */
async function template(tenant: WatchedService, elements: readonly object[]): Promise<string> {
  const pages = [{ id: guid(1), name: "Front", width: 595, height: 842, elements }];
  await tenant.wake();
  const { id } = await tenant.client.call<{ id: string }>("POST", "/api/v1/design-templates", {
    body: { name: "watched", content: { schemaVersion: "2.0", pages } },
    headers: { "idempotency-key": `watched-${crypto.randomUUID()}` },
  });
  return `/api/v1/design-templates/${id}/draft/render`;
}

/** Resolves to the status; the body is read to its end. */
async function render(tenant: WatchedService, path: string, body: object): Promise<number> {
  const response = await tenant.client.send("POST", path, { body });
  const bytes = Buffer.from(await response.arrayBuffer());
  // Its last file is whole.
  expect(bytes.subarray(-400).includes("IEND"), bytes.subarray(0, 300).toString()).toBe(true);
  return response.status;
}

async function prepare(): Promise<void> {
  const files = [
    ["a.jpg", jpegFile(samplePicture(2_000, 1_500), 90)],
    ["a.png", pngFile(samplePicture(900, 600, true))],
    ["a.webp", webpFile(samplePicture(1_600, 1_200))],
  ] as const;
  for (let i = 0; i < RENDERS; i++) {
    const tenant = await watched.newTenant();
    const elements: object[] = FAMILIES.map((family, k) => text(k + 2, family));
    for (const [k, [name, bytes]] of files.entries()) {
      elements.push(picture(k + 40, await tenant.upload(name, [bytes])));
    }
    const path = await template(tenant, elements);
    const values = Object.fromEntries(
      FAMILIES.map((_, k) => [`text_${k + 2}`, `Ünïcode ${i} ไทย عربي`]),
    );
    const max_page_dimension = i % 7 === 0 ? 2_500 : 600;
    asks.push(() => render(tenant, path, { values, output: "both", max_page_dimension }));
  }
}

/** So many renders at once, which must all be made. */
async function renderAtOnce(count: number): Promise<void> {
  const statuses = await Promise.all(asks.slice(0, count).map((ask) => ask()));
  expect(statuses).toEqual(Array.from({ length: count }, () => 200));
}

test(
  "twenty renders at once stay below 100 MB, and release all of it",
  { timeout: 300_000 },
  async () => {
    const renderer = watched.watch("renderer");
    const { most, at, held, samples, met } = await renderer.during(() => renderAtOnce(RENDERS));
    process.stderr.write(
      `live bytes: twenty renders: ${(most / MB).toFixed(1)} MB in all, ${at}, wasm ${(held.wasm / MB).toFixed(1)}, ${samples} samples\n`,
    );
    expect(most, `bytes in use, ${at}`).toBeLessThan(BYTES_MAX);
    // HarfBuzz, its subsetter and PDFium are there together.
    expect(most).toBeGreaterThan(BYTES_MAX / 2);
    expect([PDF_HELD, PAGE_DRAWN].filter((point) => !met.has(point.name))).toEqual([]);
    await waitUntil(
      "the last lease's end",
      async () => (await renderer.takenBytes()) === 0,
      300_000,
    );
  },
);

test("instances of PDFium that are kept are found", { timeout: 300_000 }, async () => {
  const { most } = await watched
    .watch("renderer")
    .duringFault(FAULTS.pdfium, () => renderAtOnce(9));
  expectFound("instances of PDFium", most, BYTES_MAX);
});

test("a lease that is not given back is found", { timeout: 300_000 }, async () => {
  const renderer = watched.watch("renderer");
  await renderer.duringFault(MEMORY_FAULTS.kept, () => renderAtOnce(1));
  expect(await renderer.takenBytes()).toBeGreaterThan(0);
});
