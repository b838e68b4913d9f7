/**
 * Hand-made acceptance cases: one or more for every sentence of docs/contract/iteration.md#cells, with the results
 * worked out by hand from the text. Data only, so that the judge and the engine both run them.
 */
import type { Definition } from "../../src/contracts/definition.ts";
import { ExactNumber, type JsonValue } from "../../src/lib/exact-json.ts";
import { defineGraph as define } from "./define-graph.ts";
import type { CellState, Interpretation, ReferenceOutput } from "./reference-result.ts";

type Item = readonly [indices: readonly number[], state: CellState, value?: JsonValue];
type Cell = readonly [indices: readonly number[], state: CellState, code?: string];

export interface EngineCase {
  /** Begins with the rules of src/engine/SPEC.md that the case states. */
  readonly name: string;
  /** The sentence of the text that the case holds the engine to. */
  readonly sentence: string;
  readonly definition: Definition;
  /** Submitted values by input node id. */
  readonly inputs: Readonly<Record<string, JsonValue>>;
  readonly iterationLimit?: number;
  readonly expected: {
    readonly status: Interpretation["status"];
    /** Code and node; null when nothing failed. */
    readonly error: readonly [code: string, node: string] | null;
    /** Every output node. */
    readonly outputs: Readonly<
      Record<string, readonly [ReferenceOutput["state"], readonly Item[]]>
    >;
    /** The nodes whose cells the sentence is about. */
    readonly cells?: Readonly<Record<string, readonly Cell[]>>;
    /** Without codes, which the text does not name. */
    readonly warnings?: readonly { node_id: string; skipped: number; of: number }[];
  };
}

type Parameters = Readonly<Record<string, unknown>>;

function columns(...names: readonly (readonly [path: string, type: string])[]): Parameters {
  return {
    jsonConfig: {
      properties: names.map(([path, outputType]) => ({ path, outputPort: path, outputType })),
    },
  };
}

function gather(ports: readonly string[], more: Parameters = {}): Parameters {
  return { jsonAggregateConfig: { columns: ports.map((inputPort) => ({ inputPort })) }, ...more };
}

function write(template: string, ...ports: readonly string[]): Parameters {
  return { template, placeholders: ports.map((inputPort) => ({ inputPort })) };
}

const OPTIONAL = { required: false };
const ROWS = ["rows", "input/json"] as const;
const DIVIDE = ["divide", "utility/calculate", { expression: "10 / row.n" }] as const;
const DIVIDED = "rows.item > divide.row";
const BY_ZERO = "CALC_DIVISION_BY_ZERO";
const IS_ON = { operator: "is_true", path: "on" };
const BRANCHED = [ROWS, ["gate", "utility/condition", IS_ON]] as const;
const EACH_LIST = ["each", "enumerate/json", { path: "$.list" }] as const;
const TEXT_OUT = ["out", "output/text"] as const;
const JSON_OUT = ["out", "output/json"] as const;

const range = (id: string, start: number, end: number, step = 1) =>
  [id, "enumerate/range", { start, end, step }] as const;

export const ENGINE_CASES: readonly EngineCase[] = [
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
    name: "[E10] [E16] an absent required input makes the cell absent, and absence is no failure",
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
  {
    name: "[E16] a run with failed work and a present output is a partial success",
    sentence: "`partial_success`: failed work and at least one output `present`.",
    definition: define(
      [
        ["zero", "input/number"],
        ["bad", "utility/calculate", { expression: "1 / z" }],
        JSON_OUT,
        ["good", "output/json"],
      ],
      ["zero.number > bad.z", "bad.result > out.json", "zero.number > good.json"],
    ),
    inputs: { zero: 0 },
    expected: {
      status: "partial_success",
      error: [BY_ZERO, "bad"],
      outputs: { out: ["missing", [[[], "blocked"]]], good: ["present", [[[], "ok", 0]]] },
    },
  },
  {
    name: "[E16] an output present with no items makes failed work a partial success",
    sentence:
      "`partial_success`: failed work and at least one output `present`. Zero items is `present` with none.",
    definition: define(
      [
        ROWS,
        ["zero", "input/number"],
        ["bad", "utility/calculate", { expression: "1 / z" }],
        ["broken", "output/json"],
        JSON_OUT,
      ],
      ["zero.number > bad.z", "bad.result > broken.json", "rows.item > out.json"],
    ),
    inputs: { zero: 0, rows: [] },
    expected: {
      status: "partial_success",
      error: [BY_ZERO, "bad"],
      outputs: { broken: ["missing", [[[], "blocked"]]], out: ["present", []] },
    },
  },
  {
    name: "[E16] failed work beside an absent output is a failed run",
    sentence: "`failed`: failed work and no output `present`.",
    definition: define(
      [
        ["name", "input/text", OPTIONAL],
        ["zero", "input/number"],
        ["bad", "utility/calculate", { expression: "1 / z" }],
        ["broken", "output/json"],
        TEXT_OUT,
      ],
      ["zero.number > bad.z", "bad.result > broken.json", "name.text > out.text"],
    ),
    inputs: { zero: 0 },
    expected: {
      status: "failed",
      error: [BY_ZERO, "bad"],
      outputs: { broken: ["missing", [[[], "blocked"]]], out: ["absent", [[[], "absent"]]] },
    },
  },
  {
    name: "[E16] an output with failed and absent elements and none present is missing",
    sentence:
      "docs/contract/results.md#groups: `present` if any item is; else `missing` if any failed; else `absent`.",
    definition: define(
      [...BRANCHED, DIVIDE, JSON_OUT],
      ["rows.item > gate.value", "gate.true > divide.row", "divide.result > out.json"],
    ),
    inputs: {
      rows: [
        { on: false, n: 1 },
        { on: true, n: 0 },
      ],
    },
    expected: {
      status: "failed",
      error: [BY_ZERO, "divide"],
      outputs: {
        out: [
          "missing",
          [
            [[0], "absent"],
            [[1], "blocked"],
          ],
        ],
      },
    },
  },
  {
    name: "[E6] [E16] the error code is that of the first failed node in topological order",
    sentence: "`error_code` is that of the first failed node in topological order.",
    definition: define(
      [
        ["late", "utility/calculate", { expression: "1 / g" }],
        ["value", "input/json_value"],
        ["good", "utility/calculate", { expression: "v.zero * 1" }],
        ["early", "utility/calculate", { expression: "v.nothing + 1" }],
        ["a", "output/json"],
        ["b", "output/json"],
      ],
      [
        "value.json > good.v",
        "good.result > late.g",
        "value.json > early.v",
        "late.result > a.json",
        "early.result > b.json",
      ],
    ),
    inputs: { value: { zero: 0 } },
    expected: {
      // value, good, late (lowest in nodes[] of what is ready), early
      status: "failed",
      error: [BY_ZERO, "late"],
      outputs: { a: ["missing", [[[], "blocked"]]], b: ["missing", [[[], "blocked"]]] },
    },
  },
  {
    name: "[E16] among the failures of a node the lowest indices decide",
    sentence:
      "`error_code` is that of the first failed node in topological order, then the lowest indices.",
    definition: define([ROWS, DIVIDE, JSON_OUT], [DIVIDED, "divide.result > out.json"]),
    inputs: { rows: [{ n: 1 }, {}, { n: 0 }] },
    expected: {
      status: "partial_success",
      error: ["CALC_MISSING_FIELD", "divide"],
      outputs: {
        out: [
          "present",
          [
            [[0], "ok", 10],
            [[1], "blocked"],
            [[2], "blocked"],
          ],
        ],
      },
      cells: {
        divide: [
          [[0], "ok"],
          [[1], "failed", "CALC_MISSING_FIELD"],
          [[2], "failed", BY_ZERO],
        ],
      },
    },
  },
  {
    name: "[E9] a value of any is checked when it runs",
    sentence:
      "nodes (4): `any` feeds every port and is checked when it runs (`TYPE_MISMATCH` fails that item).",
    definition: define([ROWS, TEXT_OUT], ["rows.item > out.text"]),
    inputs: { rows: ["a", { b: 1 }, null, ["c"], "d"] },
    expected: {
      status: "partial_success",
      error: ["TYPE_MISMATCH", "out"],
      outputs: {
        out: [
          "present",
          [
            [[0], "ok", "a"],
            [[1], "failed"],
            [[2], "failed"],
            [[3], "failed"],
            [[4], "ok", "d"],
          ],
        ],
      },
      cells: {
        out: [
          [[0], "ok"],
          [[1], "failed", "TYPE_MISMATCH"],
          [[2], "failed", "TYPE_MISMATCH"],
          [[3], "failed", "TYPE_MISMATCH"],
          [[4], "ok"],
        ],
      },
    },
  },
  {
    name: "[E9] any JSON value fits a json port",
    sentence: "nodes (4): `any` feeds every port; `number` and `boolean` feed a `json` port.",
    definition: define([ROWS, JSON_OUT], ["rows.item > out.json"]),
    inputs: { rows: [null, true, 1, "text", [], {}] },
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: [
          "present",
          [
            [[0], "ok", null],
            [[1], "ok", true],
            [[2], "ok", 1],
            [[3], "ok", "text"],
            [[4], "ok", []],
            [[5], "ok", {}],
          ],
        ],
      },
    },
  },
  {
    name: "[E9] numbers and booleans become canonical text where a text port accepts them",
    sentence:
      "nodes (4): `number` and `boolean` feed a `text` port that `accepts` them (canonical decimal, `true`/`false`).",
    definition: define(
      [ROWS, ["all", "aggregate/text", { separator: " " }], TEXT_OUT],
      ["rows.item > all.text", "all.text > out.text"],
    ),
    inputs: { rows: [7, true, false, new ExactNumber("1e3"), 0.000_000_1, "x"] },
    expected: {
      status: "completed",
      error: null,
      outputs: { out: ["present", [[[], "ok", "7 true false 1000 0.0000001 x"]]] },
    },
  },
  {
    name: "a range counts both ways in exact decimals",
    sentence:
      "details (5) B: `enumerate/range` counts down with a negative step and steps in exact decimals.",
    definition: define(
      [
        ["up", "enumerate/range", { start: 0.1, end: 0.3, step: 0.1 }],
        range("down", 2, 0, -1),
        range("none", 2, 1),
        ["a", "output/text"],
        ["b", "output/text"],
        ["c", "output/text"],
      ],
      ["up.value > a.text", "down.value > b.text", "none.value > c.text"],
    ),
    inputs: {},
    expected: {
      status: "completed",
      error: null,
      outputs: {
        a: [
          "present",
          [
            [[0], "ok", "0.1"],
            [[1], "ok", "0.2"],
            [[2], "ok", "0.3"],
          ],
        ],
        b: [
          "present",
          [
            [[0], "ok", "2"],
            [[1], "ok", "1"],
            [[2], "ok", "0"],
          ],
        ],
        c: ["present", []],
      },
    },
  },
  {
    name: "[E15] a node with more elements than the limit fails as one, and other branches finish",
    sentence:
      "docs/contract/credits.md#plans-known-in-the-run: none of its items starts and the node fails with `ITERATION_LIMIT_EXCEEDED`, other branches finish.",
    definition: define(
      [
        ["as", "input/json"],
        ["bs", "input/json"],
        ["join", "text/template", write("[a][b]", "a", "b")],
        TEXT_OUT,
        ["good", "output/json"],
      ],
      ["as.item > join.a", "bs.item > join.b", "join.text > out.text", "as.item > good.json"],
    ),
    inputs: { as: ["p", "q"], bs: ["r", "s"] },
    iterationLimit: 3,
    expected: {
      status: "partial_success",
      error: ["ITERATION_LIMIT_EXCEEDED", "join"],
      outputs: {
        out: ["missing", [[[], "blocked"]]],
        good: [
          "present",
          [
            [[0], "ok", "p"],
            [[1], "ok", "q"],
          ],
        ],
      },
      cells: { join: [[[], "failed", "ITERATION_LIMIT_EXCEEDED"]], out: [[[], "blocked"]] },
    },
  },
  {
    name: "[E15] a node with exactly as many elements as the limit runs",
    sentence:
      "docs/contract/credits.md#plans-known-in-the-run: if it exceeds `max_iterations_per_node`.",
    definition: define([ROWS, JSON_OUT], ["rows.item > out.json"]),
    inputs: { rows: [1, 2, 3] },
    iterationLimit: 3,
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: [
          "present",
          [
            [[0], "ok", 1],
            [[1], "ok", 2],
            [[2], "ok", 3],
          ],
        ],
      },
    },
  },
  {
    name: "[E15] an aggregate counts what it reads, not what it gives",
    sentence:
      "docs/contract/credits.md#plans-known-in-the-run: counts are per node over all its axes and parents.",
    definition: define(
      [
        ["as", "input/json"],
        ["bs", "input/json"],
        ["all", "aggregate/json", gather(["a", "b"])],
        JSON_OUT,
        ["good", "output/json"],
      ],
      ["as.item > all.a", "bs.item > all.b", "all.count > out.json", "as.item > good.json"],
    ),
    inputs: { as: [1, 2], bs: [3, 4] },
    iterationLimit: 3,
    expected: {
      status: "partial_success",
      error: ["ITERATION_LIMIT_EXCEEDED", "all"],
      outputs: {
        out: ["missing", [[[], "blocked"]]],
        good: [
          "present",
          [
            [[0], "ok", 1],
            [[1], "ok", 2],
          ],
        ],
      },
      cells: { all: [[[], "failed", "ITERATION_LIMIT_EXCEEDED"]] },
    },
  },
  {
    name: "[E15] the limit counts a nested enumerator over all its parents",
    sentence:
      "docs/contract/credits.md#plans-known-in-the-run: counts are per node over all its axes and parents.",
    definition: define(
      [
        ROWS,
        EACH_LIST,
        ["all", "aggregate/json", gather(["x"])],
        JSON_OUT,
        ["good", "output/json"],
      ],
      [
        "rows.item > each.json",
        "each.item > all.x",
        "all.count > out.json",
        "rows.item > good.json",
      ],
    ),
    inputs: { rows: [{ list: [1, 2] }, { list: [3, 4] }] },
    iterationLimit: 3,
    expected: {
      status: "partial_success",
      error: ["ITERATION_LIMIT_EXCEEDED", "each"],
      outputs: {
        out: ["missing", [[[], "blocked"]]],
        good: [
          "present",
          [
            [[0], "ok", { list: [1, 2] }],
            [[1], "ok", { list: [3, 4] }],
          ],
        ],
      },
      cells: { each: [[[], "failed", "ITERATION_LIMIT_EXCEEDED"]], all: [[[], "blocked"]] },
    },
  },
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
