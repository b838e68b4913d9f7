/**
 * Renders the golden cases (`test/support/render/golden/`) and compares them with `test/golden/templates/`. Writes a page
 * with each change, its pixels that differ in red, to `dist/renders/index.html`. With `--accept` the changes become the
 * expected renders. Run it after a change of the layout, of texts or of the PDF: `node scripts/review-renders.ts`.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { GOLDEN_CASES } from "../test/support/render/golden/golden-cases.ts";
import {
  type GoldenRender,
  goldenOf,
  goldenRequest,
  imageName,
} from "../test/support/render/golden/golden-render.ts";
import {
  changedRender,
  removedRender,
  reviewPage,
} from "../test/support/render/golden/review-page.ts";
import { renderInNode } from "../test/support/render/node-renderer.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url).href);
const GOLDEN = `${ROOT}test/golden/templates/`;
const REVIEW = `${ROOT}dist/renders/`;

const isAccepting = process.argv.includes("--accept");
const sections: string[] = [];
let cases = 0;

if (isAccepting) {
  await rm(GOLDEN, { recursive: true, force: true });
}
for (const [area, all] of Object.entries(GOLDEN_CASES)) {
  const expected = await readJson(`${GOLDEN}${area}.json`);
  const found: Record<string, GoldenRender> = {};
  for (const [name, golden] of Object.entries(all)) {
    cases += 1;
    const made = await renderInNode(golden.document, golden.values, goldenRequest(golden));
    const now = goldenOf(made);
    found[name] = now;
    const images = made.ok ? made.pages.map(({ image }) => image?.kept ?? new Uint8Array()) : [];
    if (isAccepting) {
      for (const [index, png] of images.entries()) {
        await write(`${GOLDEN}${imageName(area, name, index + 1)}`, png);
      }
    } else if (JSON.stringify(now) !== JSON.stringify(expected[name])) {
      sections.push(await describeChange(area, name, expected[name], now, images));
    }
  }
  if (isAccepting) {
    await write(`${GOLDEN}${area}.json`, `${JSON.stringify(found, null, 2)}\n`);
  } else {
    for (const name of Object.keys(expected).filter((one) => !Object.hasOwn(all, one))) {
      sections.push(removedRender(`${area}: ${name}`));
    }
  }
}

if (isAccepting) {
  console.log(`${cases} renders are accepted. Review them with git diff.`);
} else {
  await write(`${REVIEW}index.html`, reviewPage(sections, cases));
  console.log(`${sections.length} of ${cases} renders changed: ${REVIEW}index.html`);
  process.exitCode = sections.length === 0 ? 0 : 1;
}

async function describeChange(
  area: string,
  name: string,
  before: GoldenRender | undefined,
  now: GoldenRender,
  images: readonly Uint8Array[],
): Promise<string> {
  const count = before !== undefined && "pages" in before ? before.pages.length : 0;
  const pages = Array.from({ length: Math.max(images.length, count) }, async (_, index) => ({
    before: await readFile(`${GOLDEN}${imageName(area, name, index + 1)}`).catch(() => undefined),
    now: images[index],
  }));
  return await changedRender(`${area}: ${name}`, { before, now }, await Promise.all(pages));
}

async function readJson(file: string): Promise<Record<string, GoldenRender>> {
  const text = await readFile(file, "utf8").catch(() => "{}");
  return JSON.parse(text) as Record<string, GoldenRender>;
}

async function write(file: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}
