import { defineGraph as define } from "../define-graph.ts";
import {
  EACH_LIST,
  type EngineCase,
  JSON_OUT,
  ROWS,
  TEXT_OUT,
  columns,
  range,
  write,
} from "./case-parts.ts";

/** Cases of axes: which elements a node has, and in which order. */
export const AXIS_CASES: readonly EngineCase[] = [
  {
    name: "[E5] ports of one enumerator are read side by side",
    sentence: "An enumerator opens an axis; all its ports share it.",
    definition: define(
      [
        ["rows", "input/json", columns(["a", "text"], ["b", "text"])],
        ["join", "text/template", write("[a]-[b]", "a", "b")],
        TEXT_OUT,
      ],
      ["rows.a > join.a", "rows.b > join.b", "join.text > out.text"],
    ),
    inputs: {
      rows: [
        { a: "x", b: "1" },
        { a: "y", b: "2" },
      ],
    },
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: [
          "present",
          [
            [[0], "ok", "x-1"],
            [[1], "ok", "y-2"],
          ],
        ],
      },
    },
  },
  {
    name: "[E5] a single value has no indices",
    sentence:
      "A value lives in a scope: the set of axes it varies over, the empty scope for a single value.",
    definition: define([["name", "input/text"], TEXT_OUT], ["name.text > out.text"]),
    inputs: { name: "Ada" },
    expected: {
      status: "completed",
      error: null,
      outputs: { out: ["present", [[[], "ok", "Ada"]]] },
    },
  },
  {
    name: "[E5] [E14] an inner enumerator has as many elements as each parent has",
    sentence:
      "Enumerators nest: cardinality may differ from parent to parent. Indices count from 0 within their parent.",
    definition: define(
      [ROWS, EACH_LIST, JSON_OUT],
      ["rows.item > each.json", "each.item > out.json"],
    ),
    inputs: { rows: [{ list: [1, 2] }, { list: [] }, { list: [3] }] },
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: [
          "present",
          [
            [[0, 0], "ok", 1],
            [[0, 1], "ok", 2],
            [[2, 0], "ok", 3],
          ],
        ],
      },
    },
  },
  {
    name: "[E5] independent axes multiply",
    sentence:
      "A node fed from scopes S1…Sk runs once for every element of their join: independent axes multiply.",
    definition: define(
      [
        range("a", 1, 2),
        range("b", 7, 8),
        ["join", "text/template", write("[a][b]", "a", "b")],
        TEXT_OUT,
      ],
      ["a.value > join.a", "b.value > join.b", "join.text > out.text"],
    ),
    inputs: {},
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: [
          "present",
          [
            [[0, 0], "ok", "17"],
            [[0, 1], "ok", "18"],
            [[1, 0], "ok", "27"],
            [[1, 1], "ok", "28"],
          ],
        ],
      },
    },
  },
  {
    name: "[E5] a shared axis is aligned by index",
    sentence: "A shared axis is aligned by index.",
    definition: define(
      [
        range("n", 1, 3),
        ["double", "utility/calculate", { expression: "n * 2" }],
        ["triple", "utility/calculate", { expression: "n * 3" }],
        ["join", "text/template", write("[a]/[b]", "a", "b")],
        TEXT_OUT,
      ],
      [
        "n.value > double.n",
        "n.value > triple.n",
        "double.result > join.a",
        "triple.result > join.b",
        "join.text > out.text",
      ],
    ),
    inputs: {},
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: [
          "present",
          [
            [[0], "ok", "2/3"],
            [[1], "ok", "4/6"],
            [[2], "ok", "6/9"],
          ],
        ],
      },
    },
  },
  {
    name: "[E5] an outer value stands beside each of its inner ones, a single one beside all",
    sentence: "A shared axis is aligned by index, independent axes multiply.",
    definition: define(
      [
        ["rows", "input/json", columns(["name", "text"])],
        EACH_LIST,
        ["title", "input/text"],
        ["join", "text/template", write("[t] [name] [x]", "t", "name", "x")],
        TEXT_OUT,
      ],
      [
        "rows.item > each.json",
        "title.text > join.t",
        "rows.name > join.name",
        "each.item > join.x",
        "join.text > out.text",
      ],
    ),
    inputs: {
      rows: [
        { name: "p", list: ["1", "2"] },
        { name: "q", list: ["3"] },
      ],
      title: "T",
    },
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: [
          "present",
          [
            [[0, 0], "ok", "T p 1"],
            [[0, 1], "ok", "T p 2"],
            [[1, 0], "ok", "T q 3"],
          ],
        ],
      },
    },
  },
  {
    name: "[E4] the order of nodes decides the order of axes, that of connections does not",
    sentence:
      "The axis lowest in `nodes[]` among those placed; the order of connections never matters for it.",
    definition: define(
      [
        range("b", 7, 8),
        range("a", 1, 2),
        ["join", "text/template", write("[a][b]", "a", "b")],
        TEXT_OUT,
      ],
      ["a.value > join.a", "b.value > join.b", "join.text > out.text"],
    ),
    inputs: {},
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: [
          "present",
          [
            [[0, 0], "ok", "17"],
            [[0, 1], "ok", "27"],
            [[1, 0], "ok", "18"],
            [[1, 1], "ok", "28"],
          ],
        ],
      },
    },
  },
  {
    name: "[E4] an inner axis written first waits for its parent, not for axes above it that it does not need",
    sentence:
      "Repeatedly the axis lowest in `nodes[]` among those whose enumerator varies only over axes already placed.",
    definition: define(
      [
        EACH_LIST,
        ROWS,
        range("other", 1, 2),
        ["join", "text/template", write("[x][o]", "x", "o")],
        TEXT_OUT,
      ],
      [
        "other.value > join.o",
        "rows.item > each.json",
        "each.item > join.x",
        "join.text > out.text",
      ],
    ),
    inputs: { rows: [{ list: ["p", "q"] }, { list: ["r"] }] },
    expected: {
      status: "completed",
      error: null,
      // rows, each, other
      outputs: {
        out: [
          "present",
          [
            [[0, 0, 0], "ok", "p1"],
            [[0, 0, 1], "ok", "p2"],
            [[0, 1, 0], "ok", "q1"],
            [[0, 1, 1], "ok", "q2"],
            [[1, 0, 0], "ok", "r1"],
            [[1, 0, 1], "ok", "r2"],
          ],
        ],
      },
    },
  },
  {
    name: "[E4] an independent axis written between goes before the parent it precedes",
    sentence:
      "Repeatedly the axis lowest in `nodes[]` among those whose enumerator varies only over axes already placed.",
    definition: define(
      [
        EACH_LIST,
        range("other", 1, 2),
        ROWS,
        ["join", "text/template", write("[x][o]", "x", "o")],
        TEXT_OUT,
      ],
      [
        "rows.item > each.json",
        "each.item > join.x",
        "other.value > join.o",
        "join.text > out.text",
      ],
    ),
    inputs: { rows: [{ list: ["p"] }, { list: ["q"] }] },
    expected: {
      status: "completed",
      error: null,
      // other, rows, each
      outputs: {
        out: [
          "present",
          [
            [[0, 0, 0], "ok", "p1"],
            [[0, 1, 0], "ok", "q1"],
            [[1, 0, 0], "ok", "p2"],
            [[1, 1, 0], "ok", "q2"],
          ],
        ],
      },
    },
  },
];
