/**
 * Renders in a process of its own: `node --expose-gc bench/render-alone.ts <job>`. Prints one JSON line.
 *
 * - `image`: a page of A4 at 150 dpi, in milliseconds of processor time beyond the same render without it.
 * - `pages`: 20 and 200 pages with a picture and a table on each: milliseconds of processor time for each page, and the
 *   live memory while they are rendered, beyond the idle renderer.
 * - `letters`: letters a second, one after another.
 */
import { scheduler } from "node:timers/promises";
import { readSample } from "../test/support/render/read-sample.ts";
import { letterDocument, letters } from "./letters.ts";
import { pagesDocument, pagesValues } from "./pages-document.ts";

/** A4 at 150 dpi. */
const IMAGE_SIDE = 1_754;
const [WARM_UP, ROUNDS] = [8, 12] as const;
const [FEW, MANY] = [20, 200] as const;
const PAGE_ROUNDS = 5;
const [LETTERS, LOOPS] = [1_000, 3] as const;

/** What the renderer calls between pages; it collects the garbage of that moment if it is asked to. */
let watch: (() => void) | undefined;
(globalThis as { scheduler?: unknown }).scheduler = {
  wait: async (ms: number) => {
    watch?.();
    await scheduler.wait(ms);
  },
};
const { madeInNode } = await import("../test/support/render/node-renderer.ts");

async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function image() {
  const { document, sets } = readSample("invoice");
  const values = sets[1]?.values ?? {};
  const options = { max_page_dimension: IMAGE_SIDE };
  const images: number[] = [];
  const pdfs: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const pdf = await cpuMs(() => madeInNode(document, values));
    const both = await cpuMs(() => madeInNode(document, values, { images: "first", options }));
    if (round >= 0) {
      pdfs.push(pdf);
      images.push(both - pdf);
    }
  }
  return { images, pdfs };
}

/** Live bytes of the heap, and of buffers and wasm memories outside of it. */
function liveBytes(): number {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function pages() {
  const document = pagesDocument();
  const [few, many] = [pagesValues(FEW), pagesValues(MANY)];
  const count = async (values: typeof few, expected: number) => {
    const { pageCount } = await madeInNode(document, values);
    if (pageCount !== expected) {
      throw new Error(`The render has ${pageCount} pages, not ${expected}.`);
    }
  };
  const samples: { readonly few: number[]; readonly many: number[] } = { few: [], many: [] };
  // Idle is a renderer that has rendered one page, and keeps nothing of these documents; their values are there already.
  await madeInNode(letterDocument(), { ...letters(1)[0] });
  const idle = liveBytes();
  await count(few, FEW);
  await count(many, MANY);
  for (let round = 0; round < PAGE_ROUNDS; round += 1) {
    // As many pages of each, so that both are as warm.
    let fewMs = 0;
    for (let i = 0; i < MANY / FEW; i += 1) {
      fewMs += await cpuMs(() => count(few, FEW));
    }
    samples.few.push(fewMs / MANY);
    samples.many.push((await cpuMs(() => count(many, MANY))) / MANY);
  }
  let peak = 0;
  watch = () => {
    peak = Math.max(peak, liveBytes());
  };
  await count(many, MANY);
  watch = undefined;
  return { ...samples, idleMb: idle / 2 ** 20, liveMb: (peak - idle) / 2 ** 20 };
}

/** Letters a second. */
async function loop() {
  const document = letterDocument();
  const rates: number[] = [];
  for (let round = -1; round < LOOPS; round += 1) {
    const begunAt = performance.now();
    for (const letter of letters(LETTERS)) {
      await madeInNode(document, { ...letter });
    }
    if (round >= 0) {
      rates.push(LETTERS / ((performance.now() - begunAt) / 1_000));
    }
  }
  return rates;
}

const jobs = { image, pages, letters: loop };
const job = jobs[process.argv[2] as keyof typeof jobs];
console.log(JSON.stringify(await job()));
