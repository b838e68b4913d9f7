/** The random graphs contain every node that runs inside a run object: a new one must be added to the generator. */
import { describe, expect, it } from "vitest";
import type { NodeType } from "../../src/nodes/define-roles.ts";
import { NODE_TYPES } from "../../src/nodes/registry.ts";
import { randomGraph } from "./random-graph.ts";
import { findSimulatedNode } from "./simulate-seed.ts";

const SEEDS = 1000;

/** Nodes that generated graphs do not contain, each with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "enumerate/data_rows": "reads a table that input/data has stored",
  "input/batch": "takes the item of a batch, and fans out as input/json does without one",
  "input/csv": "takes a stored file",
  "input/data": "takes a stored file, which the runner reads",
  "input/bundle_manifest": "takes a stored file, which the runner reads",
  "input/audio": "takes a stored file, or the runner fetches it",
  "input/document": "takes a stored file, or the runner fetches it",
  "input/image": "takes a stored file, or the runner fetches it",
  "input/model3d": "takes a stored file, or the runner fetches it",
  "input/video": "takes a stored file, or the runner fetches it",
  "output/audio": "hands a file on, and no generated node makes one",
  "output/document": "hands a file on, and no generated node makes one",
  "output/image": "hands a file on, and no generated node makes one",
  "output/model3d": "hands a file on, and no generated node makes one",
  "output/video": "hands a file on, and no generated node makes one",
};

/** The fake task represents nodes that always use the queue. */
function isTask(type: NodeType): boolean {
  return "placement" in type && type.placement === "task";
}

describe("the random graphs", () => {
  const seen = new Map<string, number>();
  let readsOnce = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { nodes, connections } = randomGraph(seed, findSimulatedNode).definition;
    for (const { type } of nodes) {
      seen.set(type, (seen.get(type) ?? 0) + 1);
    }
    readsOnce += connections.filter(({ to }) => to.port === "title").length;
  }

  it.each(NODE_TYPES.filter((type) => !isTask(type)).map(({ type }) => type))(
    "contain %s, or the reason is listed",
    (type) => {
      const isLeftOut = Object.hasOwn(LEFT_OUT, type);
      expect({ type, isSeen: (seen.get(type) ?? 0) > SEEDS / 100 }).toEqual({
        type,
        isSeen: !isLeftOut,
      });
    },
  );

  it("list reasons for existing nodes only", () => {
    const known = new Set<string>(NODE_TYPES.map(({ type }) => type));
    expect(Object.keys(LEFT_OUT).filter((type) => !known.has(type))).toEqual([]);
  });

  it("contain the fake task", () => {
    expect(seen.get("fake/task")).toBeGreaterThan(SEEDS / 10);
  });

  it("contain aggregators that are tasks, also with inputs that they read once", () => {
    expect(seen.get("fake/gather")).toBeGreaterThan(SEEDS / 10);
    expect(readsOnce).toBeGreaterThan(SEEDS / 20);
  });
});
