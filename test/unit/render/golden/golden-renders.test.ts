/**
 * Golden renders: a document for each property, with its PDF, its page images and its report. After an intended change run
 * `node scripts/review-renders.ts`, look at the page that it writes, and accept it with `--accept`.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
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
import { sizeOf } from "../../../support/sizes.ts";

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

describe("golden renders", () => {
  it.each(cases.filter((_, i) => i % stride === 0))(
    "$area: $name",
    async ({ area, name, golden }) => {
      const made = await renderInNode(golden.document, golden.values, goldenRequest(golden));
      expect(goldenOf(made)).toEqual(expected.get(area)?.[name]);
    },
  );

  it("have the same bytes in another process", async () => {
    const some = cases.filter(
      (_, i) => i % Math.ceil(cases.length / sizeOf("renderedTwice")) === 0,
    );
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
