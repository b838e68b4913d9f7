import { defineGraph as define } from "../define-graph.ts";
import {
  BRANCHED,
  BY_ZERO,
  DIVIDE,
  EACH_LIST,
  type EngineCase,
  IS_ON,
  JSON_OUT,
  OPTIONAL,
  ROWS,
  columns,
  gather,
  write,
} from "./case-parts.ts";

/** Cases of aggregators and outputs with absent elements, or with none. */
export const ABSENT_ITEM_CASES: readonly EngineCase[] = [
  {
    name: "[E13] [E16] an inner axis absent at every parent is absent as a whole",
    sentence: "An output or aggregate is `absent` when one of its axes is absent as a whole.",
    definition: define(
      [
        ...BRANCHED,
        EACH_LIST,
        ["all", "aggregate/json", gather(["x"])],
        JSON_OUT,
        ["items", "output/json"],
      ],
      [
        "rows.item > gate.value",
        "gate.true > each.json",
        "each.item > all.x",
        "all.json > out.json",
        "each.item > items.json",
      ],
    ),
    inputs: { rows: [{ on: false }, { on: false }] },
    expected: {
      status: "completed",
      error: null,
      outputs: { out: ["absent", [[[], "absent"]]], items: ["absent", []] },
    },
  },
  {
    name: "[E13] [E16] an inner axis with no parents is empty, not absent",
    sentence: "An output or aggregate is `absent` when one of its axes is absent as a whole.",
    definition: define(
      [
        ROWS,
        EACH_LIST,
        ["all", "aggregate/json", gather(["x"])],
        JSON_OUT,
        ["items", "output/json"],
      ],
      [
        "rows.item > each.json",
        "each.item > all.x",
        "all.json > out.json",
        "each.item > items.json",
      ],
    ),
    inputs: { rows: [] },
    expected: {
      status: "completed",
      error: null,
      outputs: { out: ["present", [[[], "ok", []]]], items: ["present", []] },
    },
  },
  {
    name: "[E13] an innermost aggregate is absent at the parent whose inner axis is absent",
    sentence: "An aggregate is `absent` when one of its axes is absent as a whole.",
    definition: define(
      [
        ...BRANCHED,
        EACH_LIST,
        ["all", "aggregate/json", gather(["x"], { collapse: "innermost" })],
        JSON_OUT,
      ],
      [
        "rows.item > gate.value",
        "gate.true > each.json",
        "each.item > all.x",
        "all.json > out.json",
      ],
    ),
    inputs: {
      rows: [
        { on: true, list: [1] },
        { on: false, list: [2] },
        { on: true, list: [] },
      ],
    },
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: [
          "present",
          [
            [[0], "ok", [{ x: 1 }]],
            [[1], "absent"],
            [[2], "ok", []],
          ],
        ],
      },
    },
  },
  {
    name: "[E13] [E16] an absent axis makes an aggregate and an output absent even beside an empty one",
    sentence: "`absent` when one of its axes is absent as a whole, even beside an empty one.",
    definition: define(
      [
        ROWS,
        ["more", "input/json", OPTIONAL],
        ["all", "aggregate/json", gather(["a", "b"])],
        JSON_OUT,
        ["join", "text/template", write("[a][b]", "a", "b")],
        ["pairs", "output/text"],
      ],
      [
        "rows.item > all.a",
        "more.item > all.b",
        "all.json > out.json",
        "rows.item > join.a",
        "more.item > join.b",
        "join.text > pairs.text",
      ],
    ),
    inputs: { rows: [] },
    expected: {
      status: "completed",
      error: null,
      outputs: { out: ["absent", [[[], "absent"]]], pairs: ["absent", []] },
    },
  },
  {
    name: "[E13] an element whose columns are all absent is left out and not counted",
    sentence: "One whose columns are all absent is left out; `of` counts what was not left out.",
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
        { on: true, n: 2 },
        { on: false, n: 1 },
        { on: true, n: 0 },
      ],
    },
    expected: {
      status: "partial_success",
      error: [BY_ZERO, "divide"],
      outputs: { out: ["present", [[[], "ok", [{ q: 5 }]]]] },
      cells: {
        divide: [
          [[0], "ok"],
          [[1], "absent"],
          [[2], "failed", BY_ZERO],
        ],
      },
      warnings: [{ node_id: "all", skipped: 1, of: 2 }],
    },
  },
  {
    name: "[E13] an element with some columns absent is kept with null there",
    sentence: "One with some absent is kept with `null` there.",
    definition: define(
      [
        ["rows", "input/json", columns(["id", "number"])],
        ["gate", "utility/condition", IS_ON],
        ["all", "aggregate/json", gather(["id", "x"])],
        JSON_OUT,
      ],
      ["rows.item > gate.value", "rows.id > all.id", "gate.true > all.x", "all.json > out.json"],
    ),
    inputs: {
      rows: [
        { id: 1, on: true },
        { id: 2, on: false },
      ],
    },
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: [
          "present",
          [
            [
              [],
              "ok",
              [
                { id: 1, x: { id: 1, on: true } },
                { id: 2, x: null },
              ],
            ],
          ],
        ],
      },
    },
  },
  {
    name: "an empty list is a value",
    sentence: 'An empty list is `ok`: `[]`, `""`, count 0.',
    definition: define(
      [
        ROWS,
        ["objects", "aggregate/json", gather(["x"])],
        ["lines", "aggregate/text"],
        JSON_OUT,
        ["count", "output/json"],
        ["text", "output/text"],
      ],
      [
        "rows.item > objects.x",
        "rows.item > lines.text",
        "objects.json > out.json",
        "objects.count > count.json",
        "lines.text > text.text",
      ],
    ),
    inputs: { rows: [] },
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: ["present", [[[], "ok", []]]],
        count: ["present", [[[], "ok", 0]]],
        text: ["present", [[[], "ok", ""]]],
      },
    },
  },
  {
    name: "[E13] a list from which every element was left out is an empty one",
    sentence: "One whose columns are all absent is left out. An empty list is `ok`.",
    definition: define(
      [...BRANCHED, ["all", "aggregate/json", gather(["x"])], JSON_OUT],
      ["rows.item > gate.value", "gate.true > all.x", "all.json > out.json"],
    ),
    inputs: { rows: [{ on: false }, { on: false }] },
    expected: { status: "completed", error: null, outputs: { out: ["present", [[[], "ok", []]]] } },
  },
  {
    name: "[E16] an iterated output with no items is present",
    sentence: "An iterated output with zero items is `present` with none.",
    definition: define([ROWS, JSON_OUT], ["rows.item > out.json"]),
    inputs: { rows: [] },
    expected: { status: "completed", error: null, outputs: { out: ["present", []] } },
  },
];
