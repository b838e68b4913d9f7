import { describe, expect, it } from "vitest";
import type { Figure, Workload } from "../../../bench/figure.ts";
import { atMost } from "../../../bench/figure.ts";
import { compareWorkloads, renderComparison } from "../../../bench/compare-workloads.ts";
import { type KeptFile, renderBenchmarks } from "../../../bench/render-benchmarks.ts";
import { spread } from "../../../bench/statistics.ts";
import { WORKLOAD_GUIDES } from "../../../bench/workload-guides.ts";

function figure(name: string, workload?: Workload): Figure {
  return {
    ...(workload === undefined ? {} : { workload }),
    name,
    unit: "ms",
    ours: spread([1, 2, 3]),
    beside: [{ name: "floor", value: spread([2]) }],
    targets: [atMost("≤ 1.1 × floor", 1.25, 1.1)],
  };
}

function kept(
  name: string,
  startedAt: string,
  figures: readonly Figure[],
  only?: string,
): KeptFile {
  return {
    name,
    row: {
      started_at: startedAt,
      machine: { cpu: "a processor", cores: 2, load_before: [0.25], load_after: [1] },
      versions: { node: "v22", workerd: "1.2" },
      commit: "abc1234",
      ...(only === undefined ? {} : { only }),
      figures,
    },
  };
}

describe("docs/benchmarks.md", () => {
  it("shows machine, date, versions, load and raw data, and the definition of each workload", () => {
    const text = renderBenchmarks([
      kept("new.json", "2026-11-20T10:00:00Z", [figure("ten steps", "W2"), figure("a poll")]),
    ]);
    expect(text).toContain(
      "Taken 2026-11-20 at commit abc1234 on 2 cores (a processor), node v22, workerd 1.2; " +
        "load 0.3 before and 1.0 after. Raw data: `bench/rows/new.json`.",
    );
    expect(text).toContain(`### ${WORKLOAD_GUIDES.W2.title}\n\n${WORKLOAD_GUIDES.W2.text}\n\n|`);
    expect(text).toContain(
      "| ten steps | 2.00 [1.50–2.50] ms | floor 2.00 ms | ≤ 1.1 × floor: 1.25 MISSED |",
    );
    expect(text).toContain("### Everything else\n\n| figure");
    expect(text).not.toContain(WORKLOAD_GUIDES.W3.title);
  });

  it("uses the newest complete run, and nothing older", () => {
    const text = renderBenchmarks([
      kept("a.json", "2026-11-19T10:00:00Z", [figure("older", "W1")]),
      kept("part.json", "2026-11-19T12:00:00Z", [figure("part", "W1")], "W1"),
      kept("b.json", "2026-11-20T10:00:00Z", [figure("newer", "W1")], ""),
    ]);
    expect(text).toContain("| newer |");
    expect(text).not.toMatch(/\| (older|part) \|/);
  });

  it("uses a figure from a newer partial run, and states which one", () => {
    const text = renderBenchmarks([
      kept("whole.json", "2026-11-20T10:00:00Z", [figure("rate", "W6"), figure("open loop", "W6")]),
      kept("part.json", "2026-11-21T10:00:00Z", [figure("rate", "W6")], "W6 submits"),
    ]);
    const [first, second] = text.split("Raw data: `bench/rows/part.json`.");
    expect(first).toContain("| open loop |");
    expect(first).not.toContain("| rate |");
    expect(second).toContain("| rate |");
  });

  it("uses each other figure from the newest run that has it", () => {
    const text = renderBenchmarks([
      kept("whole.json", "2026-11-20T10:00:00Z", [figure("a poll"), figure("a trace")]),
      kept("part.json", "2026-11-21T10:00:00Z", [figure("a poll"), figure("a ZIP")], "zip"),
    ]);
    const [first, second] = text.split("### Everything else")[1]?.split("Raw data") ?? [];
    expect(first).toContain("| a trace |");
    expect(first).not.toContain("| a poll |");
    expect(second).toContain("| a poll |");
    expect(second).toContain("| a ZIP |");
  });

  it("says what failed in a run, and that one was stopped; neither stands for all figures", () => {
    const whole = kept("whole.json", "2026-11-20T10:00:00Z", [figure("a poll"), figure("a trace")]);
    const failed = kept("failed.json", "2026-11-21T10:00:00Z", [figure("a poll")]);
    const stopped = kept("stopped.json", "2026-11-22T10:00:00Z", [figure("a ZIP")], "");
    const text = renderBenchmarks([
      whole,
      {
        ...failed,
        row: { ...failed.row, failed: [{ part: "trace", reason: "a poll returned 503" }] },
      },
      { ...stopped, row: { ...stopped.row, is_unfinished: true } },
    ]);
    expect(text).toContain("| a trace |");
    expect(text).toContain(
      "`bench/rows/failed.json`. **Failed in this run: trace (a poll returned 503).**\n\n|",
    );
    expect(text).toContain(
      "`bench/rows/stopped.json`. The run was stopped before its last measurement.\n\n|",
    );
  });

  it("uses other engines from the newest run that has them, with that run's machine", () => {
    const text = renderBenchmarks([
      kept("whole.json", "2026-11-20T10:00:00Z", [figure("newer", "W1")]),
      kept("peers.json", "2026-11-20T11:00:00Z", [figure("restate", "peers")], "peers"),
    ]);
    expect(text).toContain("| newer |");
    expect(text).toContain("Raw data: `bench/rows/peers.json`.\n\n| figure");
    expect(text).toContain("| restate |");
  });

  it("explains how to store a run if there is none", () => {
    const text = renderBenchmarks([]);
    expect(text).toContain("npm run bench -- --keep NAME");
    expect(text).toContain("npm run bench -- --peers --only peers --keep NAME");
  });

  it("shows each figure once", () => {
    const figures = [figure("one", "W1"), figure("two", "peers"), figure("three")];
    const text = renderBenchmarks([kept("new.json", "2026-11-20T10:00:00Z", figures)]);
    for (const { name } of figures) {
      expect(text.split(`| ${name} |`)).toHaveLength(2);
    }
  });
});

describe("workloads of two rows", () => {
  const beside = (name: string, median: number) => ({ name, value: spread([median]) });
  const at = (
    name: string,
    ours: number,
    peers: Figure["beside"],
    unit = "ms",
    workload: Workload = "W1",
  ): Figure => ({ workload, name, unit, ours: spread([ours]), beside: peers, targets: [] });

  it("are compared by their ratios to the same peer, rates the other way round", () => {
    const before = [
      at("a time", 10, [beside("another engine", 1), beside("bare object", 5)]),
      at("a rate", 100, [beside("bare object", 100)], "a second", "W3"),
      at("without the peer", 1, [beside("gone", 1)]),
      at("sustained", 1, [beside("bare object", 1)], "ms", "sustained"),
      at("beside nothing", 1, [beside("bare object", 1)]),
    ];
    const now = [
      at("a time", 21, [beside("another engine", 1), beside("bare object", 10)]),
      at("a rate", 100, [beside("bare object", 125)], "a second", "W3"),
      at("without the peer", 1, [beside("new", 1)]),
      at("sustained", 9, [beside("bare object", 1)], "ms", "sustained"),
      at("beside nothing", 9, [beside("bare object", 0)]),
      at("new", 9, [beside("bare object", 1)]),
    ];
    const compared = compareWorkloads(before, now);
    expect(compared.map(({ name, peer, change }) => [name, peer, change])).toEqual([
      ["a time", "bare object", 1.05],
      ["a rate", "bare object", 1.25],
    ]);
    expect(renderComparison(compared).split("\n").slice(2)).toEqual([
      "| a time | bare object | 2.00 | 2.10 | 1.05 met |",
      "| a rate | bare object | 1.00 | 0.80 | 1.25 MISSED |",
    ]);
  });

  it("are shown beside those of the kept row of 2026-11-20, if it is there", () => {
    const rows = [
      kept("2026-11-20-evening.json", "2026-11-20T18:00:00Z", [figure("ten steps", "W2")]),
      kept("new.json", "2026-11-23T10:00:00Z", [figure("ten steps", "W2")]),
    ];
    const text = renderBenchmarks(rows);
    expect(text).toContain("### W1 to W10 since 2026-11-20");
    expect(text).toContain("| ten steps | floor | 1.00 | 1.00 | 1.00 met |");
    expect(renderBenchmarks(rows.slice(1))).not.toContain("### W1 to W10 since");
  });
});
