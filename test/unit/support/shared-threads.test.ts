/** Rules for test files that share a thread: a timer that stays a fake one lets each later file of its thread hang. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const TEST = join(import.meta.dirname, "../..");

/**
 * vitest's `restoreAllMocks` restores a spy a second time after its own `mockRestore`: in a later file, which gets the fake
 * timer back that was there when the spy began.
 */
const spiesOnTimers = (text: string) =>
  /spyOn\(\s*(?:globalThis|global)\s*,\s*"(?:set|clear)(?:Timeout|Interval|Immediate)"/.test(text);

test("no file of the shared threads spies on a timer", () => {
  const files = ["unit", "simulation", "conformance"].flatMap((folder) =>
    readdirSync(join(TEST, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(TEST, folder, name)),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(files.filter((file) => spiesOnTimers(readFileSync(file, "utf8")))).toEqual([]);
  expect(spiesOnTimers(["vi.spyOn(globalThis, ", '"setTimeout")'].join(""))).toBe(true);
});
