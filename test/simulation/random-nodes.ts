import type { JsonValue } from "../../src/lib/json/exact-json.ts";
import {
  randomCheck,
  randomList,
  randomNumber,
  randomRow,
  randomTable,
  randomWord,
} from "./random-values.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** The probable content of a value; graphs that follow it fail sometimes instead of everywhere. */
export type Shape = "row" | "list" | "number" | "text" | "flag" | "check";

export interface NodeProposal {
  readonly type: string;
  readonly parameters: Record<string, unknown>;
  /** A value to submit, for input nodes; undefined omits the input. */
  readonly input?: JsonValue;
  /** The preferred source of each input port; other ports accept anything. */
  readonly wants?: (port: string) => Shape | undefined;
  /** Optional input ports that are never connected. */
  readonly leavesOpen?: readonly string[];
}

type Maker = (random: SeededRandom) => NodeProposal;

/** Numbers and booleans from a single variable, a row's fields, or two variables; many can fail. */
const EXPRESSIONS: readonly (readonly [expression: string, a: Shape])[] = [
  ["a + 1", "number"],
  ["10 / a", "number"],
  ["a * b", "number"],
  ["a / b", "number"],
  ["a - b / 2", "number"],
  ["a.n * 2", "row"],
  ["10 / a.n", "row"],
  ["10 / a.n", "row"],
  ["1 / (a.n - 1)", "row"],
  ["sum(a.list.n) / a.n", "row"],
  ["count(a.list)", "row"],
  ["max(a, b)", "number"],
  ["if(a > 1, a, b)", "number"],
  ["a > 1", "number"],
  ["a.n >= 1 and a.on", "row"],
];
const COLUMNS: readonly (readonly [path: string, type: string])[] = [
  ["n", "number"],
  ["s", "text"],
  ["on", "boolean"],
  ["list", "json"],
  ["n", "any"],
  ["s", "any"],
];
const FIELDS: readonly (readonly [path: string, shape: Shape])[] = [
  ["$.n", "number"],
  ["$.s", "text"],
  ["$.on", "flag"],
  ["$.list", "list"],
];

/** The value at a path into a row, if it is known. */
export function shapeAtPath(path: string): Shape | undefined {
  return FIELDS.find(([each]) => each === (path.startsWith("$") ? path : `$.${path}`))?.[1];
}

const INPUTS: readonly Maker[] = [
  (random) => inputNode(random, "input/text", randomWord(random)),
  (random) => inputNode(random, "input/number", randomNumber(random)),
  (random) => inputNode(random, "input/boolean", random.chance(0.5)),
  (random) =>
    inputNode(
      random,
      "input/json_value",
      random.chance(0.5) ? randomRow(random) : randomList(random),
    ),
  (random) => rowsNode(random),
  (random) => rowsNode(random),
  (random) => rowsNode(random),
  (random) => inputNode(random, "input/text", randomTable(random)),
  (random) => inputNode(random, "input/json_value", randomCheck(random)),
  (random) => {
    const start = random.int(-1, 2);
    const step = random.pick([1, 1, 2, -1, 0.5]);
    // Down to no element at all, up to four.
    const end = start + step * random.int(-1, 3);
    return { type: "enumerate/range", parameters: { start, end, step } };
  },
];

const OTHERS: readonly Maker[] = [
  (random) => enumerateNode(random),
  (random) => enumerateNode(random),
  (random) => enumerateNode(random),
  (random) => gatherNode(random),
  (random) => gatherNode(random),
  (random) => joinNode(random),
  (random) => joinNode(random),
  (random) => templateNode(random),
  (random) => templateNode(random),
  (random) => calculateNode(random),
  (random) => calculateNode(random),
  (random) => calculateNode(random),
  (random) => conditionNode(random),
  (random) => conditionNode(random),
  (random) => switchNode(random),
  (random) => mergeNode(random),
  (random) => mergeNode(random),
  (random) => ({
    type: "utility/json_path",
    parameters: {
      path: random.pick(FIELDS)[0],
      ...(random.chance(0.3) ? { on_missing: "absent" } : {}),
    },
    wants: () => "row",
  }),
  (random) => taskNode(random),
  (random) => taskNode(random),
  (random) => tableNode(random),
  (random) => schemaNode(random),
  (random) => gateNode(random),
];

/** Those that came after the first graphs were drawn: only some seeds have them, and all others stay as they were. */
const LATER: readonly Maker[] = [
  ...OTHERS,
  (random) => combineNode(random),
  (random) => combineNode(random),
  (random) => combineNode(random),
  (random) => numberNode(random),
  (random) => numberNode(random),
];

/** Whether graphs of this seed have nodes of every kind. */
export function hasLaterNodes(seed: number): boolean {
  return seed % 5 === 4;
}

export interface ProposalOptions {
  readonly isFirst: boolean;
  /** Makes tasks more frequent. */
  readonly taskChance: number;
  readonly hasLater: boolean;
}

/** A node with parameters; what feeds it is the graph's affair. */
export function proposeNode(
  random: SeededRandom,
  { isFirst, taskChance, hasLater }: ProposalOptions,
): NodeProposal {
  if (!isFirst && taskChance > 0 && random.chance(taskChance)) {
    return hasLater && random.chance(0.4) ? combineNode(random) : taskNode(random);
  }
  const others = hasLater ? LATER : OTHERS;
  return random.pick(isFirst || random.chance(0.2) ? INPUTS : others)(random);
}

function inputNode(random: SeededRandom, type: string, value: JsonValue): NodeProposal {
  const fate = random.next();
  if (fate < 0.25) {
    return { type, parameters: { required: false } };
  }
  if (fate < 0.35) {
    return { type, parameters: { required: false, default: value } };
  }
  return { type, parameters: { required: fate < 0.8 }, input: value };
}

function rowsNode(random: SeededRandom): NodeProposal {
  const rows = random.chance(0.8)
    ? Array.from({ length: random.pick([0, 1, 2, 3, 4, 4]) }, () => randomRow(random))
    : randomList(random);
  const isLeftOut = random.chance(0.15);
  const parameters = { required: !isLeftOut, ...columnParameters(random, 0.4) };
  return { type: "input/json", parameters, ...(isLeftOut ? {} : { input: rows }) };
}

function enumerateNode(random: SeededRandom): NodeProposal {
  const isWhole = random.chance(0.4);
  return {
    type: "enumerate/json",
    parameters: { ...(isWhole ? {} : { path: "$.list" }), ...columnParameters(random, 0.3) },
    wants: () => (isWhole ? "list" : "row"),
  };
}

function calculateNode(random: SeededRandom): NodeProposal {
  const [expression, shape] = random.pick(EXPRESSIONS);
  return {
    type: "utility/calculate",
    parameters: { expression },
    wants: (port) => (port === "a" ? shape : "number"),
  };
}

function switchNode(random: SeededRandom): NodeProposal {
  const [path, shape] = random.pick(FIELDS);
  const isField = random.chance(0.5);
  return {
    type: "utility/switch",
    parameters: {
      cases: [1, "a", true].slice(0, random.int(1, 3)).map((equals) => ({ equals })),
      ...(isField ? { path } : {}),
    },
    wants: () => (isField ? "row" : shape),
  };
}

function columnParameters(random: SeededRandom, probability: number): Record<string, unknown> {
  if (!random.chance(probability)) {
    return {};
  }
  const start = random.int(0, COLUMNS.length - 1);
  const properties = COLUMNS.slice(start, start + 2).map(([path, outputType], at) => ({
    path,
    outputPort: `col_${at}`,
    outputType,
  }));
  return { jsonConfig: { properties } };
}

function gatherNode(random: SeededRandom): NodeProposal {
  const names = ["p", "q", "r"].slice(0, random.int(1, 3));
  const columns = names.map((inputPort, at) =>
    at === 1 ? { inputPort, key: "second" } : { inputPort },
  );
  return {
    type: "aggregate/json",
    parameters: { jsonAggregateConfig: { columns }, ...foldParameters(random) },
  };
}

function joinNode(random: SeededRandom): NodeProposal {
  const shape = random.pick(["text", "number"] as const);
  return {
    type: "aggregate/text",
    parameters: { separator: random.pick([",", "\n", ""]), ...foldParameters(random) },
    wants: () => shape,
  };
}

function foldParameters(random: SeededRandom): Record<string, unknown> {
  return {
    collapse: random.pick(["all", "innermost"]),
    ...(random.chance(0.25) ? { on_failed_items: "fail" } : {}),
  };
}

function templateNode(random: SeededRandom): NodeProposal {
  const names = ["one", "two", "three"].slice(0, random.int(1, 3));
  return {
    type: "text/template",
    parameters: {
      template: names.map((name) => `${name}=[${name}]`).join(" "),
      placeholders: names.map((inputPort) => ({ inputPort })),
    },
  };
}

function conditionNode(random: SeededRandom): NodeProposal {
  const [path, shape, operator, operand] = random.pick([
    ["$.n", "number", "equals", 1],
    ["$.n", "number", "gt", 1],
    ["$.n", "number", "lte", 2],
    ["$.s", "text", "contains", "a"],
    ["$.s", "text", "not_equals", "a"],
    ["$.list", "list", "is_empty", undefined],
    ["$.on", "flag", "is_true", undefined],
    ["$.on", "flag", "is_true", undefined],
  ] as const);
  const isField = random.chance(0.6);
  return {
    type: "utility/condition",
    parameters: {
      operator,
      ...(operand === undefined ? {} : { operand }),
      ...(isField ? { path } : {}),
    },
    wants: () => (isField ? "row" : shape),
  };
}

function mergeNode(random: SeededRandom): NodeProposal {
  return { type: "utility/merge", parameters: random.chance(0.5) ? { on_failed: "next" } : {} };
}

/** A table as text; some texts are invalid. */
function tableNode(random: SeededRandom): NodeProposal {
  const columns = random.chance(0.5)
    ? [{ header: "n", outputPort: "col_0", outputType: random.pick(["number", "text"]) }]
    : [];
  return {
    type: "enumerate/csv",
    parameters: { csvConfig: { columns } },
    wants: () => "text",
    leavesOpen: ["document"],
  };
}

/** True for some rows, or for some numbers. */
function schemaNode(random: SeededRandom): NodeProposal {
  const isRow = random.chance(0.5);
  const schema_definition = isRow
    ? { type: "object", required: ["n"], properties: { n: { type: "number", minimum: 1 } } }
    : { type: "number", maximum: 2 };
  return {
    type: "utility/json_schema_validate",
    parameters: { schema_definition, mode: random.pick(["fail", "report"]) },
    wants: () => (isRow ? "row" : "number"),
  };
}

function gateNode(random: SeededRandom): NodeProposal {
  return {
    type: "utility/quality_gate",
    parameters: {
      on_fail: random.pick(["fail", "skip"]),
      ...(random.chance(0.3) ? { policy: { required_checks: ["size"] } } : {}),
    },
    wants: (port) => (port === "quality_check" ? "check" : undefined),
  };
}

function taskNode(random: SeededRandom): NodeProposal {
  return {
    type: "fake/task",
    parameters: { seed: random.int(0, 999), refuse_percent: random.pick([0, 15, 40, 40]) },
  };
}

/** A task that closes axes, with something that it reads once. */
function combineNode(random: SeededRandom): NodeProposal {
  return {
    type: "fake/gather",
    parameters: {
      seed: random.int(0, 999),
      refuse_percent: random.pick([0, 0, 15]),
      ...foldParameters(random),
    },
  };
}

function numberNode(random: SeededRandom): NodeProposal {
  const on_invalid = random.pick(["fail", "absent", "default"] as const);
  const shape = random.pick(["text", "number", "number"] as const);
  return {
    type: "utility/to_number",
    parameters: { on_invalid, ...(on_invalid === "default" ? { default: 2 } : {}) },
    wants: () => shape,
  };
}
