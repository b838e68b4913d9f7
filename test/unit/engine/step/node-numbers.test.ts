import { expect, test } from "vitest";
import { decodeState, encodeState } from "../../../../durable-objects/run/state/state-text.ts";
import { chargedBy } from "../../../../src/engine/step/run-state.ts";

const WHOLE = { status: "failed", code: "C", message: "m" } as const;
const stateText = (...nodes: readonly unknown[][]) =>
  JSON.stringify({ v: 1, status: "running", stopped: null, progress: 5, nodes });

test("[E25] a state from before variable charges is read as intended: each ok element cost the same", () => {
  const text = stateText([2, 9, 4, 1, 0, 0, 5], [3, 3, 0, 0, 0, 0, 0, WHOLE]);
  const { nodes } = decodeState(text);
  expect(nodes.map((node) => chargedBy(node, 20))).toEqual([80, 0]);
  expect(nodes[1]?.whole).toEqual(WHOLE);
  expect(encodeState(decodeState(text))).toBe(text);
});

test("[E25] the sums of charges and usage are stored with the state", () => {
  const text = stateText([2, 9, 4, 1, 0, 0, 5, 33, 1.5], [3, 3, 0, 0, 0, 0, 0, 7, 0, WHOLE]);
  const { nodes } = decodeState(text);
  expect(nodes.map((node) => [chargedBy(node, 20), node.used, node.whole])).toEqual([
    [33, 1.5, null],
    [7, 0, WHOLE],
  ]);
  expect(encodeState(decodeState(text))).toBe(text);
});
