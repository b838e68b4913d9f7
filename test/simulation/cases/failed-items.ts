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
];
