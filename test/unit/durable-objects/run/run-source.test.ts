import { describe, expect, it } from "vitest";
import { BLOCK_CACHE_CHARS_MAX } from "../../../../durable-objects/run/blocks/block-room.ts";
import { RunSource } from "../../../../durable-objects/run/retry/run-source.ts";
import { RunStore } from "../../../../durable-objects/run/state/run-store.ts";
import type { CellRow } from "../../../../src/engine/drive/run-rows.ts";
import { SimulatedStorage } from "../../../simulation/object/simulated-storage.ts";

const STATE = { v: 1, status: "running", stopped: null, nodes: [], progress: 0 } as const;
const [ITEMS, PAGE, BLOCK] = [2_048, 256, 32];
const NODES = [2, 3, 4];

const cellOf = (node: number, element: number): CellRow => ({
  node,
  element,
  status: "ok",
  body: `[["text",["j",${JSON.stringify(`${node} ${element} ${"x".repeat(600)}`)}]]]`,
});

/** A stored run with more text than its object keeps, and the blocks that are read from its rows. */
function madeSource() {
  const storage = new SimulatedStorage();
  const made = new RunStore(storage.open(), () => 1_000);
  made.create([0, 0, 1, 1, 1]);
  made.commit({ state: STATE });
  made.keep();
  for (let from = 0; from < ITEMS; from += PAGE) {
    const elements = Array.from({ length: PAGE }, (_, at) => from + at);
    const cells = elements.flatMap((element) => NODES.map((node) => cellOf(node, element)));
    made.commit({ state: STATE, cells });
  }
  const blocks: string[] = [];
  const { sql } = storage.look();
  const counting = {
    exec: (query: string, ...bindings: string[]) => ({
      toArray: () => {
        if (query.includes("k >= ?") && bindings[0]?.startsWith("b.1.") === true) {
          blocks.push(bindings[0]);
        }
        return sql.exec(query, ...bindings).toArray();
      },
    }),
  };
  const store = new RunStore({ sql: counting } as unknown as DurableObjectStorage, () => 1_000);
  const source = new RunSource({ store } as unknown as ConstructorParameters<typeof RunSource>[0]);
  return { source, blocks };
}

describe("the source of a retry", () => {
  it("reads each block once for all nodes of a page, however long its values are", async () => {
    const { source, blocks } = madeSource();
    let chars = 0;
    for (let from = 0; from < ITEMS; from += PAGE) {
      const page = await source.read({
        v: 1,
        workspace_id: "ws",
        node: 2,
        beside: [3, 4],
        from,
        to: from + PAGE,
      });
      if (!page.ok) {
        throw new Error(page.message);
      }
      expect(page.value.next).toBeNull();
      expect(page.value.cells).toHaveLength(PAGE * NODES.length);
      expect(page.value.cells).toContainEqual(expect.objectContaining(cellOf(4, from + 33)));
      chars += page.value.cells.reduce((sum, { body }) => sum + body.length, 0);
    }
    expect(chars).toBeGreaterThan(1.5 * BLOCK_CACHE_CHARS_MAX);
    expect(blocks).toHaveLength(ITEMS / BLOCK);
    expect(new Set(blocks).size).toBe(blocks.length);
  });
});
