import { defineGraph as define } from "../define-graph.ts";
import {
  BRANCHED,
  BY_ZERO,
  EACH_LIST,
  type EngineCase,
  JSON_OUT,
  OPTIONAL,
  ROWS,
  columns,
  gather,
} from "./case-parts.ts";

/** Cases of enumerators. */
export const ENUMERATOR_CASES: readonly EngineCase[] = [
  {
    name: "[E14] a failed enumerator gives one blocked element",
    sentence: "A failed or blocked enumerator gives one blocked element at that parent.",
    definition: define(
      [["value", "input/json_value"], EACH_LIST, JSON_OUT],
      ["value.json > each.json", "each.item > out.json"],
    ),
    inputs: { value: { list: 5 } },
    expected: {
      status: "failed",
      error: ["ENUMERATE_NOT_A_LIST", "each"],
      outputs: { out: ["missing", [[[0], "blocked"]]] },
      cells: { each: [[[], "failed", "ENUMERATE_NOT_A_LIST"]] },
    },
  },
  {
    name: "[E14] a blocked enumerator gives one blocked element",
    sentence: "A failed or blocked enumerator gives one blocked element at that parent.",
    definition: define(
      [
        ["zero", "input/number"],
        ["bad", "utility/calculate", { expression: "1 / z" }],
        ["each", "enumerate/json"],
        JSON_OUT,
      ],
      ["zero.number > bad.z", "bad.result > each.json", "each.item > out.json"],
    ),
    inputs: { zero: 0 },
    expected: {
      status: "failed",
      error: [BY_ZERO, "bad"],
      outputs: { out: ["missing", [[[0], "blocked"]]] },
      cells: { each: [[[], "blocked"]] },
    },
  },
  {
    name: "[E14] an inner enumerator that fails at one parent leaves the others alone",
    sentence: "A failed or blocked enumerator gives one blocked element at that parent.",
    definition: define(
      [ROWS, EACH_LIST, JSON_OUT],
      ["rows.item > each.json", "each.item > out.json"],
    ),
    inputs: { rows: [{ list: [1, 2] }, { list: "no list" }, { list: [3] }] },
    expected: {
      status: "partial_success",
      error: ["ENUMERATE_NOT_A_LIST", "each"],
      outputs: {
        out: [
          "present",
          [
            [[0, 0], "ok", 1],
            [[0, 1], "ok", 2],
            [[1, 0], "blocked"],
            [[2, 0], "ok", 3],
          ],
        ],
      },
      cells: {
        each: [
          [[0], "ok"],
          [[1], "failed", "ENUMERATE_NOT_A_LIST"],
          [[2], "ok"],
        ],
      },
    },
  },
  {
    name: "[E14] an enumerator that fails midway has no earlier elements",
    sentence: "A failed or blocked enumerator gives one blocked element at that parent.",
    definition: define(
      [
        ["value", "input/json_value"],
        ["each", "enumerate/json", { path: "$.list", ...columns(["n", "number"]) }],
        JSON_OUT,
      ],
      ["value.json > each.json", "each.n > out.json"],
    ),
    inputs: { value: { list: [{ n: 1 }, { n: 2 }, { n: "three" }] } },
    expected: {
      status: "failed",
      error: ["TYPE_MISMATCH", "each"],
      outputs: { out: ["missing", [[[0], "blocked"]]] },
      cells: { each: [[[], "failed", "TYPE_MISMATCH"]] },
    },
  },
  {
    name: "[E13] [E14] [E16] an absent enumerator gives no element, and what hangs on it is absent",
    sentence:
      "An absent one none; an output or aggregate is `absent` when one of its axes is absent as a whole.",
    definition: define(
      [
        ["rows", "input/json", OPTIONAL],
        ["all", "aggregate/json", gather(["x"])],
        ["each", "output/json"],
        JSON_OUT,
      ],
      ["rows.item > all.x", "rows.item > each.json", "all.json > out.json"],
    ),
    inputs: {},
    expected: {
      status: "completed",
      error: null,
      outputs: { each: ["absent", []], out: ["absent", [[[], "absent"]]] },
      cells: { rows: [[[], "absent"]], all: [[[], "absent"]] },
    },
  },
  {
    name: "[E14] an inner enumerator absent at one parent has no element there",
    sentence:
      "A failed or blocked enumerator gives one blocked element at that parent, an absent one none.",
    definition: define(
      [...BRANCHED, EACH_LIST, JSON_OUT],
      ["rows.item > gate.value", "gate.true > each.json", "each.item > out.json"],
    ),
    inputs: {
      rows: [
        { on: true, list: [1] },
        { on: false, list: [2] },
        { on: true, list: [] },
        { on: true, list: [3] },
      ],
    },
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: [
          "present",
          [
            [[0, 0], "ok", 1],
            [[3, 0], "ok", 3],
          ],
        ],
      },
      cells: {
        each: [
          [[0], "ok"],
          [[1], "absent"],
          [[2], "ok"],
          [[3], "ok"],
        ],
      },
    },
  },
];
