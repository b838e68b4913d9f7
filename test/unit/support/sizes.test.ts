/**
 * The proof runs everything at full size that `npm test` runs at a small size, because all sizes
 * are in one file.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const TEST = join(import.meta.dirname, "../..");
const files = readdirSync(TEST, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".ts"),
);
const textOf = (name: string) => readFileSync(join(TEST, name), "utf8");

describe("sizes of tests", () => {
  it("are read from test/support/sizes.ts, and PROOF nowhere else", () => {
    const asking = files.filter((name) => /env(?:\.|\[")PROOF/.test(textOf(name)));
    expect(asking).toEqual(["support/sizes.ts"]);
  });

  it("are read by the test files themselves, in which the proof finds them", () => {
    const importing = files.filter((name) => /from ".*\/sizes\.ts"/.test(textOf(name)));
    expect(importing.length).toBeGreaterThan(15);
    // The reporter only waits longer in the proof.
    expect(importing.filter((name) => !name.endsWith(".test.ts")).toSorted()).toEqual([
      "support/in-proof.ts",
      "support/node/brief-reporter.ts",
    ]);
  });

  it("are each used", () => {
    const names = [...textOf("support/sizes.ts").matchAll(/^ {2}(\w+): \[/gm)].map(
      ([, name]) => name,
    );
    expect(names.length).toBeGreaterThan(10);
    const texts = [...files, "../vitest.config.ts"].map(textOf).join("\n");
    expect(names.filter((name) => !texts.includes(`sizeOf("${String(name)}")`))).toEqual([]);
  });
});
