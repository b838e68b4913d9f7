import { defineGraph as define } from "../define-graph.ts";
import {
  EACH_LIST,
  type EngineCase,
  JSON_OUT,
  ROWS,
  TEXT_OUT,
  columns,
  gather,
  range,
  write,
} from "./case-parts.ts";

/** Cases of aggregators that close axes: which elements are in which list, and in which order. */
export const COLLAPSE_CASES: readonly EngineCase[] = [
  {
    name: "[E5] [E13] an aggregate closes every axis, lexicographic in the indices",
    sentence: "`collapse` is `all` (default); its list is lexicographic in the indices.",
    definition: define(
      [ROWS, EACH_LIST, ["all", "aggregate/text", { separator: "," }], TEXT_OUT],
      ["rows.item > each.json", "each.item > all.text", "all.text > out.text"],
    ),
    inputs: { rows: [{ list: ["a", "b"] }, { list: [] }, { list: ["c"] }] },
    expected: {
      status: "completed",
      error: null,
      outputs: { out: ["present", [[[], "ok", "a,b,c"]]] },
    },
  },
  {
    name: "[E5] an innermost aggregate closes the inner of two nested axes",
    sentence: "`collapse` is `innermost`, the last axis of the scope in that order.",
    definition: define(
      [
        ROWS,
        EACH_LIST,
        ["all", "aggregate/text", { separator: ",", collapse: "innermost" }],
        TEXT_OUT,
      ],
      ["rows.item > each.json", "each.item > all.text", "all.text > out.text"],
    ),
    inputs: { rows: [{ list: ["a", "b"] }, { list: [] }, { list: ["c"] }] },
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: [
          "present",
          [
            [[0], "ok", "a,b"],
            [[1], "ok", ""],
            [[2], "ok", "c"],
          ],
        ],
      },
    },
  },
  {
    name: "[E4] [E5] an innermost aggregate over independent axes closes the one later in nodes[]",
    sentence: "`innermost` is the last axis of the scope in that order.",
    definition: define(
      [
        range("b", 7, 8),
        range("a", 1, 3),
        ["join", "text/template", write("[a][b]", "a", "b")],
        ["all", "aggregate/text", { separator: ",", collapse: "innermost" }],
        TEXT_OUT,
      ],
      ["a.value > join.a", "b.value > join.b", "join.text > all.text", "all.text > out.text"],
    ),
    inputs: {},
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: [
          "present",
          [
            [[0], "ok", "17,27,37"],
            [[1], "ok", "18,28,38"],
          ],
        ],
      },
    },
  },
  {
    name: "[E5] two innermost aggregates close two axes, one after the other",
    sentence: "An aggregator closes axes: `innermost` closes the last one.",
    definition: define(
      [
        ROWS,
        EACH_LIST,
        ["inner", "aggregate/text", { separator: "+", collapse: "innermost" }],
        ["outer", "aggregate/text", { separator: ",", collapse: "innermost" }],
        TEXT_OUT,
      ],
      [
        "rows.item > each.json",
        "each.item > inner.text",
        "inner.text > outer.text",
        "outer.text > out.text",
      ],
    ),
    inputs: { rows: [{ list: ["a", "b"] }, { list: ["c"] }] },
    expected: {
      status: "completed",
      error: null,
      outputs: { out: ["present", [[[], "ok", "a+b,c"]]] },
    },
  },
  {
    name: "[E5] columns of different scopes are joined by the aggregate",
    sentence: "A node fed from scopes S1…Sk runs once for every element of their join.",
    definition: define(
      [
        ["rows", "input/json", columns(["name", "text"])],
        EACH_LIST,
        ["all", "aggregate/json", gather(["name", "x"])],
        JSON_OUT,
      ],
      ["rows.item > each.json", "each.item > all.x", "rows.name > all.name", "all.json > out.json"],
    ),
    inputs: {
      rows: [
        { name: "p", list: [1, 2] },
        { name: "q", list: [] },
        { name: "r", list: [3] },
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
                { name: "p", x: 1 },
                { name: "p", x: 2 },
                { name: "r", x: 3 },
              ],
            ],
          ],
        ],
      },
    },
  },
  {
    name: "an aggregate of a single value makes a list of one",
    sentence: "Over the empty scope it makes a list of one.",
    definition: define(
      [
        ["name", "input/text"],
        ["all", "aggregate/json", gather(["name"])],
        JSON_OUT,
        ["count", "output/json"],
      ],
      ["name.text > all.name", "all.json > out.json", "all.count > count.json"],
    ),
    inputs: { name: "Ada" },
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: ["present", [[[], "ok", [{ name: "Ada" }]]]],
        count: ["present", [[[], "ok", 1]]],
      },
    },
  },
];
