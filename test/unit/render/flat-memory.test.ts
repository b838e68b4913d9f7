/**
 * What whole renders leave behind: nothing. Live bytes (heap, buffers and wasm, garbage collected) are read after each
 * round, and the least of the last rounds is compared with the least of the rounds after the caches have filled.
 */
import "../../support/only-in-proof.ts";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { preparePicture } from "../../../src/render/pdf/pictures/prepare-picture.ts";
import { liveBytes } from "../../support/datasets/live-bytes.ts";
import { HOSTILE_FILES } from "../../support/images/hostile-files.ts";
import { imageCodecs } from "../../support/images/wasm-modules.ts";
import { pngFile, samplePicture } from "../../support/images/sample-files.ts";
import { madeInNode, renderInNode } from "../../support/render/node-renderer.ts";
import { documentOf, field } from "../../support/templates/layout-kit.ts";

const ROUNDS = 24;
const WINDOW = 6;
const MB = 1024 * 1024;
const GROWTH_MAX = 2 * MB;
const TIMEOUT_MS = 180_000;

/** Bytes by which the least of the last window is above the least of the window after the first. */
async function growth(round: (number: number) => Promise<unknown>): Promise<number> {
  const live: number[] = [];
  for (let number = 0; number < ROUNDS; number += 1) {
    await round(number);
    live.push(liveBytes());
  }
  const least = (from: number) => Math.min(...live.slice(from, from + WINDOW));
  const grown = least(ROUNDS - WINDOW) - least(WINDOW);
  process.stderr.write(`flat memory: ${grown} bytes in ${ROUNDS - 2 * WINDOW} rounds\n`);
  return grown;
}

const PICTURE = `data:image/png;base64,${Buffer.from(pngFile(samplePicture(400, 300, true))).toString("base64")}`;
const FAMILIES = ["Noto Sans", "Noto Serif", "Caveat"];

/** A page with a picture, a drawing and texts, which differs with the number. */
function page(number: number): JsonValue {
  const texts = FAMILIES.map((fontFamily, i) => ({
    $type: "text",
    top: i * 20,
    width: 180,
    height: 20,
    fontFamily,
    text: `Text ${number} ${fontFamily}`,
    placeholder: field(`t${i}`, "text"),
  }));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text y="8">${number}</text></svg>`;
  return documentOf([
    [
      ...texts,
      { $type: "image", top: 80, width: 90, height: 60, src: PICTURE },
      { $type: "svg_artwork", top: 150, width: 90, height: 60, svg },
    ],
  ]) as unknown as JsonValue;
}

/** As in `bad-input.test.ts`: too long, marks without end, half a pair, no break, overrides, U+0000, nothing that has a glyph. */
const HOSTILE_VALUES = [
  "ab ".repeat(1_398_000),
  `e${"\u0301\u0327\u0489".repeat(300)}`,
  "a\ud800b",
  "x".repeat(10_000),
  `${"\u202e\u2067\u202a".repeat(300)}abc`,
  "a\u0000b\u0001c",
  "👩\u200d👩\u200d👧\ue000\u{f0000}",
];
const HOSTILE_TEXT = documentOf([
  [{ $type: "text", width: 100, height: 40, placeholder: field("t", "text") }],
]) as unknown as JsonValue;
/** Beyond the largest, whose bytes alone are more than what must not grow. */
const HOSTILE_PICTURES = HOSTILE_FILES.filter(({ bytes }) => bytes.length < MB);

const values = (number: number) => ({ t0: `Ünï ${number}`, t1: "سلام שלום", t2: "x".repeat(40) });
const print = (document: number, number: number) =>
  madeInNode(page(document), values(number), { images: "all" });

describe("memory stays flat over whole renders", { timeout: TIMEOUT_MS }, () => {
  it("of one document with equal values", async () => {
    expect(await growth(() => print(0, 0))).toBeLessThan(GROWTH_MAX);
  });

  it("of other documents with other values", async () => {
    expect(await growth((number) => print(number, number))).toBeLessThan(GROWTH_MAX);
  });

  it("of hostile values, which print or are refused", async () => {
    const outcomes = new Set<string>();
    const grown = await growth(async () => {
      for (const t of HOSTILE_VALUES) {
        const made = await renderInNode(HOSTILE_TEXT, { t });
        outcomes.add(made.ok ? "made" : made.code);
      }
    });
    expect(outcomes).toEqual(new Set(["made", "too_large", "invalid_values"]));
    expect(grown).toBeLessThan(GROWTH_MAX);
  });

  it("of hostile pictures, which print or have a reason", async () => {
    const reasons = new Set<string>();
    const grown = await growth(async () => {
      for (const { bytes } of HOSTILE_PICTURES) {
        const prepared = await preparePicture(bytes, imageCodecs, { allowsCmyk: true });
        reasons.add(typeof prepared === "string" ? prepared : "prints");
      }
    });
    expect(reasons.has("unreadable") && reasons.has("too_large")).toBe(true);
    expect(grown).toBeLessThan(GROWTH_MAX);
  });

  it("and 256 KiB that each render left behind would be found", async () => {
    const left: unknown[] = [];
    const grown = await growth(async (number) => {
      left.push(await print(0, number), new Uint8Array(MB / 4));
    });
    expect(left).toHaveLength(2 * ROUNDS);
    expect(grown).toBeGreaterThan(GROWTH_MAX);
  });
});
