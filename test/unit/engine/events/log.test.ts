/**
 * The log of a run is sufficient to restore its state, and to send every client the same events.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { encodeState } from "../../../../durable-objects/run/state/state-text.ts";
import { isTerminal } from "../../../../src/contracts/runs/run.ts";
import type { RunEventBody } from "../../../../src/contracts/runs/run-events.ts";
import { restoreLayout } from "../../../../src/engine/drive/restore-layout.ts";
import {
  decodeDelta,
  encodeDelta,
  type LoggedDelta,
  NEW_PHASE_PREFIX,
} from "../../../../src/engine/events/delta-text.ts";
import { foldDeltas } from "../../../../src/engine/events/fold-deltas.ts";
import { pastState } from "../../../../src/engine/events/past-state.ts";
import { countEvents, eventAt } from "../../../../src/engine/events/run-events.ts";
import { newRunState } from "../../../../src/engine/step/run-state.ts";
import { randomGraph } from "../../../simulation/random-graph.ts";
import { type EngineOutcome, runEngine } from "../../../simulation/run-engine.ts";
import { findSimulatedNode } from "../../../simulation/simulate-seed.ts";

const SEEDS = 300;

interface Logged {
  readonly seed: number;
  readonly outcome: EngineOutcome;
  /** As read back from rows. */
  readonly entries: readonly LoggedDelta[];
  readonly events: readonly RunEventBody[];
}

const runs: Logged[] = [];

beforeAll(async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { definition, inputs } = randomGraph(seed, findSimulatedNode);
    const outcome = await runEngine({ definition, inputs, findNodeType: findSimulatedNode, seed });
    const entries = outcome.rows.deltas.map((delta, i) =>
      decodeDelta(i + 1, encodeDelta(delta, 1_000 + i)),
    );
    const layout = restoreLayout(outcome.plan, outcome.rows.state, outcome.rows);
    const source = { outline: outcome.plan, layout };
    const events = entries.flatMap((entry) => {
      const count = countEvents(entry);
      expect(eventAt(source, entry, count)).toBeUndefined();
      return Array.from({ length: count }, (_, sub) => eventAt(source, entry, sub)!);
    });
    runs.push({ seed, outcome, entries, events });
  }
});

describe("the log of a run", () => {
  it("[E19] folds to its state, byte for byte, in a world of crashes", () => {
    let crashes = 0;
    for (const { seed, outcome, entries } of runs) {
      const deltas = entries.map(({ delta }) => delta);
      const folded = foldDeltas(newRunState(outcome.plan), deltas);
      expect([seed, encodeState(folded)]).toEqual([seed, encodeState(outcome.rows.state)]);
      // The changes in a row are absolute, so reading it twice is harmless.
      const twice = foldDeltas(
        newRunState(outcome.plan),
        deltas.flatMap((d) => [d, d]),
      );
      expect(encodeState(twice)).toBe(encodeState(folded));
      crashes += outcome.crashes;
    }
    expect(crashes).toBeGreaterThan(SEEDS / 2);
  });

  it("marks, in the first characters, the rows in which a node opened or ended", () => {
    let without = 0;
    for (const { outcome } of runs) {
      let nodes = newRunState(outcome.plan).nodes;
      for (const delta of outcome.rows.deltas) {
        const after = foldDeltas({ ...newRunState(outcome.plan), nodes }, [delta]).nodes;
        const isNew = after.some((node, i) => node.phase !== nodes[i]!.phase);
        expect(encodeDelta(delta, 5).startsWith(NEW_PHASE_PREFIX)).toBe(isNew);
        without += isNew ? 0 : 1;
        nodes = after;
      }
    }
    expect(without).toBeGreaterThan(SEEDS / 10);
  });

  it("rejects a row of another version", () => {
    expect(() => decodeDelta(1, "[2,0,1,null,null,null,[],[]]")).toThrow("version 2");
  });
});

describe("a past state", () => {
  it("is the state after each commit, with the elements of outputs that had settled by then", () => {
    let early = 0;
    for (const { seed, outcome, entries } of runs) {
      const { plan, rows } = outcome;
      const outputs = plan.outputs.flatMap(({ node }) => rows.cellsOf(node));
      const settled = new Set<string>();
      const start = newRunState(plan);
      expect(pastState(start, [])).toMatchObject({ state: start, seq: 0 });
      // Every commit of short runs, and of long ones some fifteen.
      const step = Math.ceil(entries.length / 15);
      rows.logged.forEach(({ state, cells }, at) => {
        for (const { node, element } of cells) {
          settled.add(`${node}/${element}`);
        }
        if ((at + 1) % step !== 0 && at + 1 !== entries.length) {
          return;
        }
        const past = pastState(start, entries.slice(0, at + 1));
        expect([seed, at, encodeState(past.state)]).toEqual([seed, at, encodeState(state)]);
        expect(past.seq).toBe(at + 1);
        for (const { node, element } of outputs) {
          const had = settled.has(`${node}/${element}`);
          expect([seed, at, node, element, past.hasSettled(node, element)]).toEqual([
            seed,
            at,
            node,
            element,
            had,
          ]);
          early += had ? 0 : 1;
        }
      });
    }
    expect(early).toBeGreaterThan(SEEDS);
  });
});

describe("the events of a run", () => {
  it("report every settled element of every output once, with its index and its presence", () => {
    for (const { seed, outcome, events } of runs) {
      const { plan, rows } = outcome;
      const layout = restoreLayout(plan, rows.state, rows);
      const presence = { ok: "present", failed: "missing", blocked: "missing", absent: "absent" };
      const expected = plan.outputs.flatMap((output) =>
        rows
          .cellsOf(output.node)
          .map((cell) => [
            plan.nodes[output.node]!.id,
            layout.indices(plan.nodes[output.node]!.scope, cell.element),
            presence[cell.status],
          ]),
      );
      const told = events.flatMap((each) =>
        each.event === "output"
          ? [[each.data.node_id, each.data.input_indices, each.data.presence]]
          : [],
      );
      const sorted = (list: unknown[]) => list.map((each) => JSON.stringify(each)).toSorted();
      expect([seed, sorted(told)]).toEqual([seed, sorted(expected)]);
    }
  });

  it("end with the terminal status and done, and with nothing after", () => {
    for (const { outcome, events } of runs) {
      const { status } = outcome.rows.state;
      expect(isTerminal(status)).toBe(true);
      expect(events.slice(-2).map(({ event, data }) => ({ event, data }))).toEqual([
        { event: "status", data: { status } },
        { event: "done", data: { status } },
      ]);
      expect(events.filter(({ event }) => event === "done")).toHaveLength(1);
    }
  });

  it("[E21] never lower progress, which is 100 exactly at the end, and leave each node in its final state", () => {
    for (const { outcome, events } of runs) {
      let progress = 0;
      const ended = new Map<string, unknown>();
      for (const each of events) {
        if (each.event === "progress") {
          expect(each.data.progress).toBeGreaterThan(progress);
          ({ progress } = each.data);
        } else if (each.event === "node") {
          ended.set(each.data.node_id, each.data.completed);
        } else if (each.event === "status" && !isTerminal(each.data.status)) {
          expect(progress).toBeLessThan(100);
        }
      }
      expect(progress).toBe(100);
      for (const node of outcome.plan.nodes) {
        expect(ended.get(node.id) ?? 0).toBe(outcome.rows.state.nodes[node.index]!.ok);
      }
    }
  });
});
