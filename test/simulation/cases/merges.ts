import type { Definition } from "../../../src/contracts/workflows/definition.ts";
import { defineGraph as define } from "../define-graph.ts";
import {
  BRANCHED,
  BY_ZERO,
  type EngineCase,
  JSON_OUT,
  OPTIONAL,
  type Parameters,
  TEXT_OUT,
} from "./case-parts.ts";

/** Cases of merges. */
export const MERGE_CASES: readonly EngineCase[] = [
  {
    name: "[E18] merge takes whichever branch was taken",
    sentence: "nodes (4), merge: the first that is not absent.",
    definition: define(
      [
        ...BRANCHED,
        ["no", "utility/json_path", { path: "$.on" }],
        ["either", "utility/merge"],
        JSON_OUT,
      ],
      [
        "rows.item > gate.value",
        "gate.true > either.inputs",
        "gate.false > no.json",
        "no.value > either.inputs",
        "either.value > out.json",
      ],
    ),
    inputs: { rows: [{ on: true }, { on: false }] },
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: [
          "present",
          [
            [[0], "ok", { on: true }],
            [[1], "ok", false],
          ],
        ],
      },
    },
  },
  ...mergeCases(),
];

/** Merges of a value that may fail with one that may be absent, in both orders and both modes. */
function mergeCases(): EngineCase[] {
  const merged = (order: readonly string[], parameters: Parameters): Definition =>
    define(
      [
        ["bad", "utility/calculate", { expression: "1 / z" }],
        ["zero", "input/number"],
        ["spare", "input/number", OPTIONAL],
        ["either", "utility/merge", parameters],
        JSON_OUT,
      ],
      [
        "zero.number > bad.z",
        ...order.map((from) => `${from} > either.inputs`),
        "either.value > out.json",
      ],
    );
  const FAILED_FIRST = ["bad.result", "spare.number"];
  const FAILED_LAST = ["spare.number", "bad.result"];
  const error = [BY_ZERO, "bad"] as const;
  return [
    {
      name: "[E18] merge of nothing but absent values is absent",
      sentence: "nodes (4), merge: the first that is not absent.",
      definition: define(
        [
          ["a", "input/text", OPTIONAL],
          ["b", "input/text", OPTIONAL],
          ["either", "utility/merge"],
          TEXT_OUT,
        ],
        ["a.text > either.inputs", "b.text > either.inputs", "either.value > out.text"],
      ),
      inputs: {},
      expected: {
        status: "completed",
        error: null,
        outputs: { out: ["absent", [[[], "absent"]]] },
        cells: { either: [[[], "absent"]] },
      },
    },
    {
      name: "[E2] [E18] merge takes the first of two in connection order, not in node order",
      sentence: "nodes (4), merge: the first that is not absent, in connection order.",
      definition: define(
        [["a", "input/text"], ["b", "input/text"], ["either", "utility/merge"], TEXT_OUT],
        ["b.text > either.inputs", "a.text > either.inputs", "either.value > out.text"],
      ),
      inputs: { a: "A", b: "B" },
      expected: {
        status: "completed",
        error: null,
        outputs: { out: ["present", [[[], "ok", "B"]]] },
      },
    },
    {
      name: "[E18] merge is blocked by a failed one met first",
      sentence: "nodes (4), merge: `block` (default: a failed one met first blocks).",
      definition: merged(FAILED_FIRST, {}),
      inputs: { zero: 0, spare: 7 },
      expected: {
        status: "failed",
        error,
        outputs: { out: ["missing", [[[], "blocked"]]] },
        cells: { either: [[[], "blocked"]] },
      },
    },
    {
      name: "[E18] merge is not blocked by a failed one behind the one it takes",
      sentence: "nodes (4), merge: `block` (default: a failed one met first blocks).",
      definition: merged(FAILED_LAST, {}),
      inputs: { zero: 0, spare: 7 },
      expected: {
        status: "partial_success",
        error,
        outputs: { out: ["present", [[[], "ok", 7]]] },
      },
    },
    {
      name: "[E18] merge passes over absent ones and is then blocked by the failed one",
      sentence: "nodes (4), merge: a failed one met first blocks.",
      definition: merged(FAILED_LAST, {}),
      inputs: { zero: 0 },
      expected: {
        status: "failed",
        error,
        outputs: { out: ["missing", [[[], "blocked"]]] },
        cells: { either: [[[], "blocked"]] },
      },
    },
    {
      name: "[E18] merge told so takes the next after a failed one",
      sentence: "nodes (4), merge: `next`.",
      definition: merged(FAILED_FIRST, { on_failed: "next" }),
      inputs: { zero: 0, spare: 7 },
      expected: {
        status: "partial_success",
        error,
        outputs: { out: ["present", [[[], "ok", 7]]] },
      },
    },
    {
      name: "[E18] merge told so is blocked when none is left and one failed",
      sentence: "nodes (4), merge: `next` (blocked only if none is left and one failed).",
      definition: merged(FAILED_FIRST, { on_failed: "next" }),
      inputs: { zero: 0 },
      expected: {
        status: "failed",
        error,
        outputs: { out: ["missing", [[[], "blocked"]]] },
        cells: { either: [[[], "blocked"]] },
      },
    },
  ];
}
