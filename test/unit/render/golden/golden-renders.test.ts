/**
 * Golden renders: a document for each property, with its PDF, its page images and its report. After an intended change run
 * `node scripts/review-renders.ts`, look at the page that it writes, and accept it with `--accept`.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { allParts, partsOf } from "../../../support/render/golden/document-parts.ts";
import { GOLDEN_CASES } from "../../../support/render/golden/golden-cases.ts";
import {
  type GoldenRender,
  goldenOf,
  goldenRequest,
  imageName,
} from "../../../support/render/golden/golden-render.ts";
import { renderInNode } from "../../../support/render/node-renderer.ts";
import { testInProof } from "../../../support/in-proof.ts";
import { sizeOf } from "../../../support/sizes.ts";
import { buildEdited, type Edit } from "../../../simulation/planted/build-edited.ts";

const FOLDER = fileURLToPath(new URL("../../../golden/templates/", import.meta.url).href);
const OTHER_PROCESS = fileURLToPath(
  new URL("../../../support/render/digest-renders.ts", import.meta.url).href,
);
const expected = new Map(
  Object.keys(GOLDEN_CASES).map((area) => [
    area,
    JSON.parse(readFileSync(`${FOLDER}${area}.json`, "utf8")) as Record<string, GoldenRender>,
  ]),
);
const cases = Object.entries(GOLDEN_CASES).flatMap(([area, all]) =>
  Object.entries(all).map(([name, golden]) => ({ area, name, golden })),
);
const stride = sizeOf("goldenStride");

/** One in this many is rendered by another process too. */
const OTHER_PROCESS_STRIDE = 4;
/** Cases that are rendered again with each planted fault. */
const CASES_OF_FAULTS = 3;

/** What would make bytes differ between processes: a clock, a random number, and what earlier renders have left. */
const FAULTS: Readonly<Record<string, Edit>> = {
  "a clock": {
    file: "src/render/pdf/xmp.ts",
    from: "escaped(origin.contentHash)",
    to: "escaped(`${origin.contentHash} ${performance.now()}`)",
  },
  "a random number": {
    file: "src/render/pdf/write-pdf.ts",
    from: "options.id.subarray(0, ID_BYTES)",
    to: "crypto.getRandomValues(new Uint8Array(ID_BYTES))",
  },
  "a count that goes on after a render": {
    file: "src/render/pdf/resource-scope.ts",
    from: "name = `G${this.#states.size + 1}`;",
    to: "name = `G${(globalThis as any).states = ((globalThis as any).states ?? 0) + 1}`;",
  },
};

describe("golden renders", () => {
  it.each(cases.filter((_, i) => i % stride === 0))(
    "$area: $name",
    async ({ area, name, golden }) => {
      const made = await renderInNode(golden.document, golden.values, goldenRequest(golden));
      expect(goldenOf(made)).toEqual(expected.get(area)?.[name]);
    },
  );

  testInProof("have the same bytes in another process", async () => {
    const some = cases.filter((_, i) => i % OTHER_PROCESS_STRIDE === 0);
    const lines = some.map(({ area, name }) => `${area}: ${name}`);
    const child = execFile(process.execPath, [OTHER_PROCESS], { maxBuffer: 64 * 1024 * 1024 });
    const output = child.stdout === null ? Promise.resolve("") : text(child.stdout);
    child.stdin?.end(lines.join("\n"));
    const found = JSON.parse(await output) as Record<string, GoldenRender>;
    expect(Object.keys(found)).toEqual(lines);
    for (const { area, name } of some) {
      expect(found[`${area}: ${name}`]).toEqual(expected.get(area)?.[name]);
    }
  });

  testInProof.each([undefined, ...Object.keys(FAULTS)])(
    "differ from those made with the planted fault %s",
    async (fault) => {
      const renderer = await buildEdited<typeof import("../../../support/render/node-renderer.ts")>(
        "test/support/render/node-renderer.ts",
        fault === undefined ? undefined : FAULTS[fault],
      );
      // Those with opacity have a named state of the graphics each.
      const some = cases.filter(({ name }) => name.includes("opacity")).slice(0, CASES_OF_FAULTS);
      const differing = [];
      for (const { area, name, golden } of some) {
        const made = await renderer.renderInNode(
          golden.document,
          golden.values,
          goldenRequest(golden),
        );
        if (!isDeepStrictEqual(goldenOf(made), expected.get(area)?.[name])) {
          differing.push(name);
        }
      }
      expect(some).toHaveLength(CASES_OF_FAULTS);
      expect(differing.length > 0, differing.join(", ")).toBe(fault !== undefined);
    },
  );

  it("show every property of a document, and every value of those with few", () => {
    const shown = new Set<string>();
    const all = allParts();
    for (const { golden } of cases) {
      for (const part of partsOf(golden.document)) {
        shown.add(part);
      }
    }
    expect(cases.length).toBeGreaterThan(300);
    expect(all.size).toBeGreaterThan(200);
    expect([...all].filter((part) => !shown.has(part))).toEqual([]);
  });

  it("are kept for these cases and no others, each with its pictures", () => {
    const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".png"),
    );
    const pictures = cases.flatMap(({ area, name }) => {
      const render = expected.get(area)?.[name];
      const pages = render !== undefined && "pages" in render ? render.pages : [];
      return pages.map((sha256, i) => [imageName(area, name, i + 1), sha256] as const);
    });
    expect(new Set(pictures.map(([name]) => name)).size).toBe(pictures.length);
    expect(files.toSorted()).toEqual(pictures.map(([name]) => name).toSorted());
    for (const [name, sha256] of pictures) {
      const bytes = readFileSync(`${FOLDER}${name}`);
      expect(createHash("sha256").update(bytes).digest("hex"), name).toBe(sha256);
    }
    for (const [area, all] of Object.entries(GOLDEN_CASES)) {
      expect(Object.keys(expected.get(area) ?? {}).toSorted()).toEqual(Object.keys(all).toSorted());
    }
  });
});
