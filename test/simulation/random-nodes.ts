import type { JsonValue } from "../../src/lib/exact-json.ts";
import { randomList, randomNumber, randomRow, randomWord } from "./random-values.ts";
import type { SeededRandom } from "./seeded-random.ts";

export interface NodeProposal {
  readonly type: string;
  readonly parameters: Record<string, unknown>;
  /** A value to submit, for input nodes; undefined leaves the input out. */
  readonly input?: JsonValue;
}

type Maker = (random: SeededRandom) => NodeProposal;

/** Numbers and booleans from a single variable, a row's fields, or two variables; many can fail. */
const EXPRESSIONS = [
  "a + 1",
  "10 / a",
  "a * b",
  "a / b",
  "a - b / 2",
  "a.n * 2",
  "10 / a.n",
  "count(a.list)",
  "sum(a.list)",
  "max(a, b)",
  "if(a > 1, a, b)",
  "a > 1",
  "a.n >= 1 and a.on",
];
const COLUMNS: readonly (readonly [path: string, type: string])[] = [
  ["n", "number"],
  ["s", "text"],
  ["on", "boolean"],
  ["list", "json"],
  ["n", "any"],
  ["s", "any"],
];
const FIELD_PATHS = ["$.n", "$.s", "$.on", "$.list"];

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
  (random) => {
    const names = ["p", "q", "r"].slice(0, random.int(1, 3));
    return {
      type: "aggregate/json",
      parameters: {
        jsonAggregateConfig: {
          columns: names.map((inputPort, at) =>
            at === 1 ? { inputPort, key: "second" } : { inputPort },
          ),
        },
        ...foldParameters(random),
      },
    };
  },
  (random) => ({
    type: "aggregate/text",
    parameters: { separator: random.pick([",", "\n", ""]), ...foldParameters(random) },
  }),
  (random) => templateNode(random),
  (random) => templateNode(random),
  (random) => ({ type: "utility/calculate", parameters: { expression: random.pick(EXPRESSIONS) } }),
  (random) => ({ type: "utility/calculate", parameters: { expression: random.pick(EXPRESSIONS) } }),
  (random) => conditionNode(random),
  (random) => conditionNode(random),
  (random) => ({
    type: "utility/switch",
    parameters: {
      cases: [1, "a", true].slice(0, random.int(1, 3)).map((equals) => ({ equals })),
      ...(random.chance(0.5) ? { path: random.pick(FIELD_PATHS) } : {}),
    },
  }),
  (random) => mergeNode(random),
  (random) => mergeNode(random),
  (random) => ({
    type: "utility/json_path",
    parameters: { path: random.pick(["$", ...FIELD_PATHS]) },
  }),
  (random) => taskNode(random),
  (random) => taskNode(random),
];

/** A node with parameters; what feeds it is the graph's affair. */
export function proposeNode(random: SeededRandom, isFirst: boolean): NodeProposal {
  return random.pick(isFirst || random.chance(0.2) ? INPUTS : OTHERS)(random);
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
    ? Array.from({ length: random.int(0, 4) }, () => randomRow(random))
    : randomList(random);
  const isLeftOut = random.chance(0.15);
  const parameters = { required: !isLeftOut, ...columnParameters(random, 0.4) };
  return { type: "input/json", parameters, ...(isLeftOut ? {} : { input: rows }) };
}

function enumerateNode(random: SeededRandom): NodeProposal {
  const path = random.chance(0.5) ? {} : { path: "$.list" };
  return { type: "enumerate/json", parameters: { ...path, ...columnParameters(random, 0.3) } };
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
  const path = random.chance(0.5) ? { path: random.pick(FIELD_PATHS) } : {};
  const operator = random.pick([
    "equals",
    "not_equals",
    "gt",
    "lte",
    "contains",
    "is_empty",
    "is_true",
  ]);
  const needsOperand = !operator.startsWith("is_");
  return {
    type: "utility/condition",
    parameters: {
      operator,
      ...(needsOperand ? { operand: operator === "contains" ? "a" : random.int(0, 2) } : {}),
      ...path,
    },
  };
}

function mergeNode(random: SeededRandom): NodeProposal {
  return { type: "utility/merge", parameters: random.chance(0.5) ? { on_failed: "next" } : {} };
}

function taskNode(random: SeededRandom): NodeProposal {
  return { type: "fake/task", parameters: { seed: random.int(0, 999) } };
}
