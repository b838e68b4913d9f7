import { defineGraph as define } from "../define-graph.ts";
import {
  BRANCHED,
  BY_ZERO,
  DIVIDE,
  DIVIDED,
  type EngineCase,
  JSON_OUT,
  OPTIONAL,
  ROWS,
  TEXT_OUT,
  write,
} from "./case-parts.ts";

/** Cases of inputs that failed, are blocked or absent. */
export const INPUT_CASES: readonly EngineCase[] = [
  {
    name: "[E10] a failed element blocks what follows it and nothing beside it",
    sentence:
      "A cell is `ok`, `failed`, `blocked` or `absent`. Any input failed or blocked: the cell is `blocked`.",
    definition: define(
      [ROWS, DIVIDE, ["next", "utility/calculate", { expression: "q + 1" }], TEXT_OUT],
      [DIVIDED, "divide.result > next.q", "next.result > out.text"],
    ),
    inputs: { rows: [{ n: 1 }, { n: 0 }, { n: 2 }] },
    expected: {
      status: "partial_success",
      error: [BY_ZERO, "divide"],
      outputs: {
        out: [
          "present",
          [
            [[0], "ok", "11"],
            [[1], "blocked"],
            [[2], "ok", "6"],
          ],
        ],
      },
      cells: {
        divide: [
          [[0], "ok"],
          [[1], "failed", BY_ZERO],
          [[2], "ok"],
        ],
        next: [
          [[0], "ok"],
          [[1], "blocked"],
          [[2], "ok"],
        ],
      },
    },
  },
  {
    name: "[E10] a failed input blocks on an optional port too",
    sentence: "Any input failed or blocked: the cell is `blocked`, on an optional port too.",
    definition: define(
      [ROWS, DIVIDE, ["join", "text/template", write("q=[q]", "q")], TEXT_OUT],
      [DIVIDED, "divide.result > join.q", "join.text > out.text"],
    ),
    inputs: { rows: [{ n: 0 }, { n: 5 }] },
    expected: {
      status: "partial_success",
      error: [BY_ZERO, "divide"],
      outputs: {
        out: [
          "present",
          [
            [[0], "blocked"],
            [[1], "ok", "q=2"],
          ],
        ],
      },
    },
  },
  {
    name: "[E10] [E16] an absent required input makes the cell absent, and absence is not a failure",
    sentence: "Else any required input absent: `absent`.",
    definition: define(
      [
        ["n", "input/number", OPTIONAL],
        ["double", "utility/calculate", { expression: "n * 2" }],
        JSON_OUT,
      ],
      ["n.number > double.n", "double.result > out.json"],
    ),
    inputs: {},
    expected: {
      status: "completed",
      error: null,
      outputs: { out: ["absent", [[[], "absent"]]] },
      cells: { n: [[[], "absent"]], double: [[[], "absent"]] },
    },
  },
  {
    name: "[E10] blocked comes before absent",
    sentence:
      "Any input failed or blocked: the cell is `blocked`. Else any required input absent: `absent`.",
    definition: define(
      [
        ["n", "input/number", OPTIONAL],
        ["zero", "input/number"],
        ["bad", "utility/calculate", { expression: "1 / z" }],
        ["sum", "utility/calculate", { expression: "n + q" }],
        JSON_OUT,
      ],
      ["n.number > sum.n", "zero.number > bad.z", "bad.result > sum.q", "sum.result > out.json"],
    ),
    inputs: { zero: 0 },
    expected: {
      status: "failed",
      error: [BY_ZERO, "bad"],
      outputs: { out: ["missing", [[[], "blocked"]]] },
      cells: { sum: [[[], "blocked"]] },
    },
  },
  {
    name: "[E10] a node runs without its absent optional inputs",
    sentence: "Else the node runs, absent optional inputs unset.",
    definition: define(
      [
        ["first", "input/text"],
        ["second", "input/text", OPTIONAL],
        ["join", "text/template", write("([a][b])", "a", "b")],
        TEXT_OUT,
      ],
      ["first.text > join.a", "second.text > join.b", "join.text > out.text"],
    ),
    inputs: { first: "x" },
    expected: {
      status: "completed",
      error: null,
      outputs: { out: ["present", [[[], "ok", "(x)"]]] },
    },
  },
  {
    name: "[E10] the branch not taken is absent and the other goes on",
    sentence: "A non-taken branch is absence.",
    definition: define(
      [
        ["n", "input/number"],
        ["gate", "utility/condition", { operator: "gt", operand: 3 }],
        ["yes", "output/json"],
        ["no", "output/json"],
      ],
      ["n.number > gate.value", "gate.true > yes.json", "gate.false > no.json"],
    ),
    inputs: { n: 2 },
    expected: {
      status: "completed",
      error: null,
      outputs: { yes: ["absent", [[[], "absent"]]], no: ["present", [[[], "ok", 2]]] },
      cells: { gate: [[[], "ok"]] },
    },
  },
  {
    name: "[E10] every element takes its own branch and keeps its place",
    sentence: "A non-taken branch is absence; a group is `present` if any item is.",
    definition: define(
      [...BRANCHED, ["yes", "output/json"], ["no", "output/json"]],
      ["rows.item > gate.value", "gate.true > yes.json", "gate.false > no.json"],
    ),
    inputs: { rows: [{ on: true }, { on: false }] },
    expected: {
      status: "completed",
      error: null,
      outputs: {
        yes: [
          "present",
          [
            [[0], "ok", { on: true }],
            [[1], "absent"],
          ],
        ],
        no: [
          "present",
          [
            [[0], "absent"],
            [[1], "ok", { on: false }],
          ],
        ],
      },
    },
  },
  {
    name: "[E10] a switch gives its value on one port only",
    sentence: "A non-taken branch is absence.",
    definition: define(
      [
        ["word", "input/text"],
        ["by", "utility/switch", { cases: [{ equals: "a" }, { equals: "b" }] }],
        ["a", "output/text"],
        ["b", "output/text"],
        ["other", "output/text"],
      ],
      [
        "word.text > by.value",
        "by.case_0 > a.text",
        "by.case_1 > b.text",
        "by.default > other.text",
      ],
    ),
    inputs: { word: "b" },
    expected: {
      status: "completed",
      error: null,
      outputs: {
        a: ["absent", [[[], "absent"]]],
        b: ["present", [[[], "ok", "b"]]],
        other: ["absent", [[[], "absent"]]],
      },
    },
  },
];
