import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Figure } from "../../../bench/figure.ts";
import { Parts, roundsOfSides } from "../../../bench/parts.ts";
import { spread } from "../../../bench/statistics.ts";
import { writeRow } from "../../../bench/write-row.ts";

const figure = (name: string): Figure => ({
  name,
  unit: "ms",
  ours: spread([1, 2, 3]),
  beside: [],
  targets: [],
});

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe("parts of a measurement", () => {
  it("keep what each has measured when one fails, and say which failed and why", async () => {
    const parts = new Parts();
    await parts.take("first", () => Promise.resolve(figure("a")));
    await parts.take("second", () => Promise.reject(new Error("no\n  files left")));
    await parts.take("third", () => Promise.resolve([figure("b"), figure("c")]));
    expect(parts.figures.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(parts.failed).toEqual([{ part: "second", reason: "no files left" }]);
  });

  it("are written as soon as each has ended, failed ones too", async () => {
    const seen: [number, number][] = [];
    const parts: Parts = new Parts(() => {
      seen.push([parts.figures.length, parts.failed.length]);
      return Promise.resolve();
    });
    await parts.take("first", () => Promise.resolve(figure("a")));
    await parts.take("second", () => Promise.reject(new Error("no")));
    expect(seen).toEqual([
      [1, 0],
      [1, 1],
    ]);
  });

  it("are in a file that is replaced as a whole", async () => {
    const folder = await mkdtemp(join(tmpdir(), "edgeloom-row-"));
    try {
      const row = {
        started_at: "2026-11-28T10:00:00Z",
        machine: { cpu: "a processor", cores: 2, load_before: [0], load_after: [0] },
        versions: {},
        commit: "abc1234",
        only: "batches",
      };
      await writeRow(join(folder, "kept.json"), { ...row, is_unfinished: true, figures: [] });
      await writeRow(join(folder, "kept.json"), { ...row, figures: [figure("a")] });
      expect(await readdir(folder)).toEqual(["kept.json"]);
      const text = await readFile(join(folder, "kept.json"), "utf8");
      expect(JSON.parse(text)).toEqual({ ...row, figures: [figure("a")] });
      expect(text).toContain('"samples": [1,2,3]');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe("sides of a comparison", () => {
  it("are measured in turns, after a round that warms up", async () => {
    const calls: string[] = [];
    const side = (name: string) => (isWarmUp: boolean) => {
      calls.push(`${name}${isWarmUp ? " warm" : ""}`);
      return Promise.resolve(calls.length);
    };
    const samples = await roundsOfSides(2, { a: side("a"), b: side("b") }, new Parts());
    expect(calls).toEqual(["a warm", "b warm", "a", "b", "a", "b"]);
    expect(samples).toEqual({ a: [3, 5], b: [4, 6] });
  });

  it("go on without one that fails, whose earlier samples stay", async () => {
    const parts = new Parts();
    let bad = 0;
    const sides = {
      good: () => Promise.resolve(1),
      bad: () => {
        bad += 1;
        return bad < 3 ? Promise.resolve(bad) : Promise.reject(new Error("out of files"));
      },
    };
    expect(await roundsOfSides(3, sides, parts)).toEqual({ good: [1, 1, 1], bad: [2] });
    expect(bad).toBe(3);
    expect(parts.failed).toEqual([{ part: "bad, round 2 of 3", reason: "out of files" }]);
  });
});
