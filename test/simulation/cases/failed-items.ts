import { defineGraph as define } from "../define-graph.ts";
import {
  BRANCHED,
  BY_ZERO,
  DIVIDE,
  DIVIDED,
  EACH_LIST,
  type EngineCase,
  IS_ON,
  JSON_OUT,
  ROWS,
  TEXT_OUT,
  gather,
} from "./case-parts.ts";

/** A task that returns how many elements count as failed, and each that it read with its place. */
const NO_FAULTS = { refuse_percent: 0, fault_percent: 0 };
const ALL_TASK = ["all", "fake/gather", NO_FAULTS] as const;
const DIVIDED_TOO = [DIVIDED, "rows.item > all.item", "divide.result > all.other"];

/** Cases of aggregators that read failed elements. */
export const FAILED_ITEM_CASES: readonly EngineCase[] = [
  {
    name: "[E13] failed elements are skipped with one warning",
    sentence:
      "Failed elements are skipped with one warning a node; `of` counts what was not left out.",
    definition: define(
      [ROWS, DIVIDE, ["all", "aggregate/json", gather(["q"])], JSON_OUT, ["count", "output/json"]],
      [DIVIDED, "divide.result > all.q", "all.json > out.json", "all.count > count.json"],
    ),
    inputs: { rows: [{ n: 1 }, { n: 0 }, { n: 5 }] },
    expected: {
      status: "partial_success",
      error: [BY_ZERO, "divide"],
      outputs: {
        out: ["present", [[[], "ok", [{ q: 10 }, { q: 2 }]]]],
        count: ["present", [[[], "ok", 2]]],
      },
      warnings: [{ node_id: "all", skipped: 1, of: 3 }],
    },
  },
  {
    name: "[E13] an element with one failed column counts as failed, whatever its other columns are",
    sentence: "An element with a failed or blocked column counts as failed.",
    definition: define(
      [
        ROWS,
        DIVIDE,
        ["gate", "utility/condition", IS_ON],
        ["all", "aggregate/json", gather(["q", "x"])],
        JSON_OUT,
      ],
      [
        DIVIDED,
        "rows.item > gate.value",
        "divide.result > all.q",
        "gate.true > all.x",
        "all.json > out.json",
      ],
    ),
    inputs: {
      rows: [
        { n: 0, on: true },
        { n: 0, on: false },
        { n: 2, on: true },
      ],
    },
    expected: {
      status: "partial_success",
      error: [BY_ZERO, "divide"],
      outputs: { out: ["present", [[[], "ok", [{ q: 5, x: { n: 2, on: true } }]]]] },
      warnings: [{ node_id: "all", skipped: 2, of: 3 }],
    },
  },
  {
    name: "[E13] an aggregate told to fails on a failed element",
    sentence: "With `on_failed_items: fail` they fail it.",
    definition: define(
      [
        ROWS,
        DIVIDE,
        ["all", "aggregate/json", gather(["q"], { on_failed_items: "fail" })],
        JSON_OUT,
      ],
      [DIVIDED, "divide.result > all.q", "all.json > out.json"],
    ),
    inputs: { rows: [{ n: 1 }, { n: 0 }] },
    expected: {
      status: "failed",
      error: [BY_ZERO, "divide"],
      outputs: { out: ["missing", [[[], "blocked"]]] },
    },
  },
  {
    name: "[E13] an aggregate told to fail does not mind absent elements",
    sentence:
      "One whose columns are all absent is left out; with `on_failed_items: fail` failed ones fail it.",
    definition: define(
      [
        ...BRANCHED,
        ["all", "aggregate/json", gather(["x"], { on_failed_items: "fail" })],
        JSON_OUT,
      ],
      ["rows.item > gate.value", "gate.true > all.x", "all.json > out.json"],
    ),
    inputs: { rows: [{ on: false }, { on: true }] },
    expected: {
      status: "completed",
      error: null,
      outputs: { out: ["present", [[[], "ok", [{ x: { on: true } }]]]] },
    },
  },
  {
    name: "[E13] an aggregate with nothing but failed elements is blocked",
    sentence: "If every element that was not left out failed the aggregator is `blocked`.",
    definition: define(
      [...BRANCHED, DIVIDE, ["all", "aggregate/json", gather(["q"])], JSON_OUT],
      [
        "rows.item > gate.value",
        "gate.true > divide.row",
        "divide.result > all.q",
        "all.json > out.json",
      ],
    ),
    inputs: {
      rows: [
        { on: true, n: 0 },
        { on: false, n: 1 },
      ],
    },
    expected: {
      status: "failed",
      error: [BY_ZERO, "divide"],
      outputs: { out: ["missing", [[[], "blocked"]]] },
      cells: { all: [[[], "blocked"]] },
    },
  },
  {
    name: "[E13] [E14] an aggregate over a failed enumerator is blocked",
    sentence:
      "A failed enumerator gives one blocked element; if every element failed the aggregator is `blocked`.",
    definition: define(
      [["value", "input/json_value"], EACH_LIST, ["all", "aggregate/text"], TEXT_OUT],
      ["value.json > each.json", "each.item > all.text", "all.text > out.text"],
    ),
    inputs: { value: {} },
    expected: {
      status: "failed",
      error: ["ENUMERATE_NOT_A_LIST", "each"],
      outputs: { out: ["missing", [[[], "blocked"]]] },
      cells: { all: [[[], "blocked"]] },
    },
  },
  {
    name: "[E13] the warnings of an innermost aggregate are one for the node",
    sentence: "Failed elements are skipped with one warning a node.",
    definition: define(
      [
        ROWS,
        EACH_LIST,
        ["divide", "utility/calculate", { expression: "12 / x" }],
        ["all", "aggregate/text", { separator: ",", collapse: "innermost" }],
        TEXT_OUT,
      ],
      [
        "rows.item > each.json",
        "each.item > divide.x",
        "divide.result > all.text",
        "all.text > out.text",
      ],
    ),
    inputs: { rows: [{ list: [1, 0] }, { list: [2] }, { list: [0, 3, 0] }] },
    expected: {
      status: "partial_success",
      error: [BY_ZERO, "divide"],
      outputs: {
        out: [
          "present",
          [
            [[0], "ok", "12"],
            [[1], "ok", "6"],
            [[2], "ok", "4"],
          ],
        ],
      },
      warnings: [{ node_id: "all", skipped: 3, of: 6 }],
    },
  },
  {
    name: "[E13] an element whose value does not fit its column counts as failed",
    sentence: "An element whose value does not fit its column counts as failed, and is skipped.",
    definition: define(
      [ROWS, ["all", "aggregate/text", { separator: "," }], TEXT_OUT],
      ["rows.item > all.text", "all.text > out.text"],
    ),
    inputs: { rows: ["a", {}, "b"] },
    expected: {
      status: "completed",
      error: null,
      outputs: { out: ["present", [[[], "ok", "a,b"]]] },
      warnings: [{ node_id: "all", skipped: 1, of: 3 }],
    },
  },
  {
    name: "[E13] an aggregate with nothing but values that do not fit has failed itself",
    sentence: "If every element failed the aggregator is `blocked`, or failed if it failed them.",
    definition: define(
      [ROWS, ["all", "aggregate/text"], TEXT_OUT],
      ["rows.item > all.text", "all.text > out.text"],
    ),
    inputs: { rows: [{}, []] },
    expected: {
      status: "failed",
      error: ["TYPE_MISMATCH", "all"],
      outputs: { out: ["missing", [[[], "blocked"]]] },
      cells: { all: [[[], "failed", "TYPE_MISMATCH"]] },
    },
  },
  {
    name: "[E13] an aggregate told to fails by name on a value that does not fit",
    sentence: "With `on_failed_items: fail` they fail it.",
    definition: define(
      [ROWS, ["all", "aggregate/text", { on_failed_items: "fail" }], TEXT_OUT],
      ["rows.item > all.text", "all.text > out.text"],
    ),
    inputs: { rows: ["a", {}] },
    expected: {
      status: "failed",
      error: ["ITEMS_FAILED", "all"],
      outputs: { out: ["missing", [[[], "blocked"]]] },
      cells: { all: [[[], "failed", "ITEMS_FAILED"]] },
    },
  },
  {
    name: "[E34] an element keeps its place without a column that may fail, and counts as failed",
    sentence:
      "An element whose value in such a column failed counts as failed, but is kept without it.",
    definition: define([ROWS, DIVIDE, ALL_TASK, JSON_OUT], [...DIVIDED_TOO, "all.out > out.json"]),
    inputs: { rows: [{ n: 1 }, { n: 0 }, { n: 5 }] },
    expected: {
      status: "partial_success",
      error: [BY_ZERO, "divide"],
      outputs: {
        out: [
          "present",
          [[[], "ok", [1, [0, { n: 1 }, "10"], [1, { n: 0 }, null], [2, { n: 5 }, "2"]]]],
        ],
      },
      warnings: [{ node_id: "all", skipped: 1, of: 3 }],
    },
  },
  {
    name: "[E34] elements that are all kept do not block, though each counts as failed",
    sentence: "It is kept without that column: only where none is kept the aggregator is blocked.",
    definition: define([ROWS, DIVIDE, ALL_TASK, JSON_OUT], [...DIVIDED_TOO, "all.out > out.json"]),
    inputs: { rows: [{ n: 0 }] },
    expected: {
      status: "partial_success",
      error: [BY_ZERO, "divide"],
      outputs: { out: ["present", [[[], "ok", [1, [0, { n: 0 }, null]]]]] },
      warnings: [{ node_id: "all", skipped: 1, of: 1 }],
    },
  },
  {
    name: "[E34] an element without another value is not kept",
    sentence: "It is kept without that column where another column of it has a value.",
    definition: define(
      [...BRANCHED, DIVIDE, ALL_TASK, JSON_OUT],
      [
        "rows.item > gate.value",
        "gate.true > all.item",
        DIVIDED,
        "divide.result > all.other",
        "all.out > out.json",
      ],
    ),
    inputs: {
      rows: [
        { n: 0, on: false },
        { n: 2, on: true },
      ],
    },
    expected: {
      status: "partial_success",
      error: [BY_ZERO, "divide"],
      outputs: { out: ["present", [[[], "ok", [1, [1, { n: 2, on: true }, "5"]]]]] },
      warnings: [{ node_id: "all", skipped: 1, of: 2 }],
    },
  },
  {
    name: "[E34] a value that does not fit a column that may fail is as one that failed",
    sentence: "An element whose value there does not fit counts as failed, but is kept without it.",
    definition: define(
      [ROWS, ALL_TASK, JSON_OUT],
      ["rows.item > all.item", "rows.item > all.other", "all.out > out.json"],
    ),
    inputs: { rows: ["a", [1]] },
    expected: {
      status: "completed",
      error: null,
      outputs: { out: ["present", [[[], "ok", [1, [0, "a", "a"], [1, [1], null]]]]] },
      warnings: [{ node_id: "all", skipped: 1, of: 2 }],
    },
  },
  {
    name: "[E34] with on_failed_items fail such an element fails the aggregator",
    sentence: "With `on_failed_items: fail` it fails the node.",
    definition: define(
      [ROWS, DIVIDE, ["all", "fake/gather", { ...NO_FAULTS, on_failed_items: "fail" }], JSON_OUT],
      [...DIVIDED_TOO, "all.out > out.json"],
    ),
    inputs: { rows: [{ n: 1 }, { n: 0 }] },
    expected: {
      status: "failed",
      error: [BY_ZERO, "divide"],
      outputs: { out: ["missing", [[[], "blocked"]]] },
      cells: { all: [[[], "failed", "ITEMS_FAILED"]] },
    },
  },
];
