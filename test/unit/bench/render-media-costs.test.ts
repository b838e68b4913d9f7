import { expect, it } from "vitest";
import type { Figure } from "../../../bench/figure.ts";
import type { KeptFile } from "../../../bench/render-benchmarks.ts";
import { renderMediaCosts, SOUND_UNIT } from "../../../bench/render-media-costs.ts";
import { spread } from "../../../bench/statistics.ts";

const figure = (name: string, unit: string, ms: number): Figure => ({
  name,
  unit,
  ours: spread([ms]),
  beside: [{ name: "native", value: spread([100]) }],
  targets: [],
});

const kept = (name: string, figures: readonly Figure[]): KeptFile => ({
  name: `${name}.json`,
  row: {
    started_at: name,
    machine: { cpu: "a processor", cores: 2, load_before: [0], load_after: [0] },
    versions: {},
    commit: "abc1234",
    figures,
  },
});

it("the costs of sound are those of the newest row that has some, with their share of real time", () => {
  const table = renderMediaCosts([
    kept("2026-01-03", [figure("a poll", "ms", 1)]),
    kept("2026-01-02", [figure("the meter", SOUND_UNIT, 150), figure("a poll", "ms", 1)]),
    kept("2026-01-01", [figure("the meter", SOUND_UNIT, 999)]),
  ]);
  expect(table).toContain("a processor; `bench/rows/2026-01-02.json`.");
  expect(table.split("\n").slice(2)).toEqual([
    "| work | ms for a minute | times real time | s for an hour | beside it |",
    "|---|---|---|---|---|",
    "| the meter | 150 | 400 | 9.0 | 1.50 x native |",
  ]);
});

it("without a row there is a command instead", () => {
  expect(renderMediaCosts([kept("2026-01-03", [figure("a poll", "ms", 1)])])).toContain(
    "npm run bench -- --only sounds",
  );
});

it("the costs of films follow, of the newest row that has some", () => {
  const table = renderMediaCosts([
    kept("2026-01-03", [figure("the meter", SOUND_UNIT, 150)]),
    kept("2026-01-02", [figure("video/split", "ms", 250), figure("a poll", "ms", 1)]),
    kept("2026-01-01", [figure("video/split", "ms", 999)]),
  ]);
  expect(table).toContain("film, on one core of a processor; `bench/rows/2026-01-02.json`.");
  expect(table.split("\n").slice(-3)).toEqual([
    "| work | ms | beside it |",
    "|---|---|---|",
    "| video/split | 250 | 2.50 x native |",
  ]);
});
