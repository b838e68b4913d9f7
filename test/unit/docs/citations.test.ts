import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const OWN = join(import.meta.dirname, "citations.test.ts");
const FOLDERS = ["src", "durable-objects", "queues", "scripts", "test", "bench", "samples", "docs"];
const PAGES = ["README.md", "ARCHITECTURE.md"];

/** A page of this repository, with or without a heading. */
const PAGE = /\b(?:docs\/[\w/-]+\.md|ARCHITECTURE\.md|README\.md|src\/engine\/SPEC\.md)(#[\w-]+)?/g;
/**
 * Sections of documents outside of this repository: `spec 1 §4`, `decisions §9`, `details B`,
 * `DESIGN §1`.
 */
const ABSENT =
  /\b(?:[Ss]pec \d|[Dd]ocument \d §|[Dd]ecisions §|DESIGN\b)|\b[Dd]etails (?:part )?[ABC]\b/;

function textFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|mjs|md|sql|json|toml)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes("node_modules"));
}

/** The anchor of a heading on GitHub. */
function headingsOf(page: string): Set<string> {
  return new Set(
    [...readFileSync(join(ROOT, page), "utf8").matchAll(/^#+ (.+)$/gm)].map(
      ([, heading]) =>
        `#${(heading ?? "")
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
          .replaceAll(" ", "-")}`,
    ),
  );
}

function brokenCitations(path: string, text: string): string[] {
  const broken = text
    .split("\n")
    .flatMap((line, at) =>
      ABSENT.test(line) ? [`${path}:${at + 1} cites an absent document`] : [],
    );
  for (const [citation, heading] of text.matchAll(PAGE)) {
    const [page = ""] = citation.split("#");
    if (!existsSync(join(ROOT, page))) {
      broken.push(`${path} cites ${page}, which does not exist`);
    } else if (heading !== undefined && !headingsOf(page).has(heading)) {
      broken.push(`${path} cites ${citation}, which has no such heading`);
    }
  }
  return broken;
}

describe("citations", () => {
  test("every cited page and heading is in this repository", () => {
    const files = [...FOLDERS.flatMap(textFiles), ...PAGES.map((page) => join(ROOT, page))].filter(
      (path) => path !== OWN,
    );
    expect(files.length).toBeGreaterThan(900);
    expect(
      files.flatMap((path) =>
        brokenCitations(path.slice(ROOT.length + 1), readFileSync(path, "utf8")),
      ),
    ).toEqual([]);
  });

  test("a missing page, a missing heading and an absent document are found", () => {
    const planted = [
      "(docs/contract/nothing.md#here)",
      "(docs/contract/results.md#no-such-heading)",
      "(spec 1 §4.3)",
      "(decisions §9)",
      "(details part A)",
    ].join("\n");
    expect(brokenCitations("planted.ts", planted)).toHaveLength(5);
    expect(brokenCitations("right.ts", "(docs/contract/results.md#sizes)")).toEqual([]);
  });
});
