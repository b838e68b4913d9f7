import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "../../../docs/decisions");
const INDEX = "README.md";
const HEAD =
  /^# \S.*\n\n- \*\*Date:\*\* \d{4}-\d{2}-\d{2}\n- \*\*Status:\*\* \S.*\n\n## Decision\n/;
const SECTIONS = ["Decision", "Reason", "Rejected", "Consequences"];

/** Deviations of a page from the common form of decisions. */
function faultsOf(name: string, text: string): string[] {
  const parts = text.split(/^## /m).slice(1);
  const sections = parts.map((part) => part.split("\n", 1)[0]);
  return [
    ...(HEAD.test(text) ? [] : [`${name} does not begin with title, date, status and decision`]),
    ...(sections.join() === SECTIONS.join() ? [] : [`${name} has the sections ${sections.join()}`]),
    ...parts
      .filter((part) => part.slice(part.indexOf("\n")).trim() === "")
      .map((part) => `${name} has nothing under ${part.trim()}`),
  ];
}

function pages(): string[] {
  return readdirSync(FOLDER).filter((name) => name !== INDEX);
}

describe("decisions", () => {
  test("each page has date, status, decision, reason, rejected alternatives and consequences", () => {
    expect(
      pages().flatMap((name) => faultsOf(name, readFileSync(join(FOLDER, name), "utf8"))),
    ).toEqual([]);
  });

  test("the index lists each page once, by its title and date", () => {
    const rows = [
      ...readFileSync(join(FOLDER, INDEX), "utf8").matchAll(/^\| \[(.+)\]\((.+)\) \| (.+) \|$/gm),
    ].map(([, title, name, date]) => `${name} ${date} ${title}`);
    const expected = pages().map((name) => {
      const text = readFileSync(join(FOLDER, name), "utf8");
      return `${name} ${/\*\*Date:\*\* (.+)/.exec(text)?.[1]} ${text.slice(2, text.indexOf("\n"))}`;
    });
    expect(rows.toSorted()).toEqual(expected.toSorted());
  });

  test("a page without a date, with a missing section or an empty one is found", () => {
    const right =
      "# T\n\n- **Date:** 2026-01-01\n- **Status:** accepted\n\n" +
      SECTIONS.map((name) => `## ${name}\n\nText.\n`).join("\n");
    expect(faultsOf("right.md", right)).toEqual([]);
    expect(faultsOf("a.md", right.replace("- **Date:** 2026-01-01\n", ""))).toHaveLength(1);
    expect(faultsOf("b.md", right.replace("## Rejected\n\nText.\n\n", ""))).toHaveLength(1);
    expect(faultsOf("c.md", right.replace("## Reason\n\nText.", "## Reason\n"))).toHaveLength(1);
  });
});
