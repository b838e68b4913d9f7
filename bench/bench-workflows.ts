/** The definitions that the benchmarks run, each with its expected output. */

interface BenchNode {
  readonly id: string;
  readonly type: string;
  readonly label?: string;
  readonly parameters?: unknown;
}

export interface BenchWorkflow {
  readonly name: string;
  readonly definition: {
    readonly nodes: readonly BenchNode[];
    readonly connections: readonly unknown[];
  };
}

const number = (id: string) => ({
  id,
  type: "input/number",
  label: id,
  parameters: { default: 0 },
});
const link = (from: string, port: string, to: string, toPort: string) => ({
  from: { node: from, port },
  to: { node: to, port: toPort },
});

/** `steps` calculations in a row; the output is the number of steps. */
export function chain(steps: number): BenchWorkflow {
  const ids = Array.from({ length: steps }, (_, i) => `s${i}`);
  return {
    name: `Bench: chain of ${steps}`,
    definition: {
      nodes: [
        number("start"),
        ...ids.map((id) => ({
          id,
          type: "utility/calculate",
          parameters: { expression: "x + 1" },
        })),
        { id: "out", type: "output/json", parameters: { key: "out" } },
      ],
      connections: [
        link("start", "number", ids[0] ?? "out", "x"),
        ...ids.slice(1).map((id, i) => link(ids[i] ?? "", "result", id, "x")),
        link(ids.at(-1) ?? "start", "result", "out", "json"),
      ],
    },
  };
}

/**
 * A chain of `nodes` calculations over two elements: 2 × `nodes` steps. The output is `[{x: nodes + 1}, {x: nodes +
 * 2}]`.
 */
export function pairChain(nodes: number): BenchWorkflow {
  const ids = Array.from({ length: nodes }, (_, i) => `s${i}`);
  return {
    name: `Bench: two chains of ${nodes}`,
    definition: {
      nodes: [
        { id: "pair", type: "enumerate/range", parameters: { start: 1, end: 2 } },
        ...ids.map((id) => ({
          id,
          type: "utility/calculate",
          parameters: { expression: "x + 1" },
        })),
        {
          id: "both",
          type: "aggregate/json",
          parameters: { jsonAggregateConfig: { columns: [{ inputPort: "x" }] } },
        },
        { id: "out", type: "output/json", parameters: { key: "out" } },
      ],
      connections: [
        link("pair", "value", ids[0] ?? "both", "x"),
        ...ids.slice(1).map((id, i) => link(ids[i] ?? "", "result", id, "x")),
        link(ids.at(-1) ?? "pair", "result", "both", "x"),
        link("both", "json", "out", "json"),
      ],
    },
  };
}

/** `items` elements through a calculation and a template to an aggregate; the output has a line for each. */
export function fanOut(items: number): BenchWorkflow {
  return {
    name: `Bench: fan-out of ${items}`,
    definition: {
      nodes: [
        { id: "items", type: "enumerate/range", parameters: { start: 1, end: items } },
        { id: "double", type: "utility/calculate", parameters: { expression: "n * 2" } },
        {
          id: "line",
          type: "text/template",
          parameters: { template: "item [n]", placeholders: [{ inputPort: "n" }] },
        },
        { id: "lines", type: "aggregate/text", parameters: { separator: "\n" } },
        { id: "out", type: "output/text", parameters: { key: "out" } },
      ],
      connections: [
        link("items", "value", "double", "n"),
        link("double", "result", "line", "n"),
        link("line", "text", "lines", "text"),
        link("lines", "text", "out", "text"),
      ],
    },
  };
}

/** The output of `fanOut(items)`. */
export function fanOutText(items: number): string {
  return Array.from({ length: items }, (_, i) => `item ${(i + 1) * 2}`).join("\n");
}

/** `items` elements through `nodes` calculations in a row to a count; for the heap benchmark. */
export function wideChain(items: number, nodes: number): BenchWorkflow {
  const ids = Array.from({ length: nodes }, (_, i) => `s${i}`);
  return {
    name: `Bench: ${items} items over ${nodes} nodes`,
    definition: {
      nodes: [
        { id: "items", type: "enumerate/range", parameters: { start: 1, end: items } },
        ...ids.map((id) => ({
          id,
          type: "utility/calculate",
          parameters: { expression: "x + 1" },
        })),
        {
          id: "all",
          type: "aggregate/json",
          parameters: { jsonAggregateConfig: { columns: [{ inputPort: "x" }] } },
        },
        { id: "sum", type: "utility/calculate", parameters: { expression: "sum(all.x)" } },
        { id: "out", type: "output/json", parameters: { key: "out" } },
      ],
      connections: [
        link("items", "value", ids[0] ?? "all", "x"),
        ...ids.slice(1).map((id, i) => link(ids[i] ?? "", "result", id, "x")),
        link(ids.at(-1) ?? "items", "result", "all", "x"),
        link("all", "json", "sum", "all"),
        link("sum", "result", "out", "json"),
      ],
    },
  };
}

/** `items` elements, each with a QR code of 64 px. */
const codeNodes = (items: number, drawn: object = {}): readonly BenchNode[] => [
  { id: "items", type: "enumerate/range", parameters: { start: 1, end: items } },
  {
    id: "text",
    type: "text/template",
    parameters: { template: "[n]", placeholders: [{ inputPort: "n" }] },
  },
  { id: "code", type: "image/code", parameters: { symbology: "qr", size: 64, ...drawn } },
];
const CODE_LINKS = [link("items", "value", "text", "n"), link("text", "text", "code", "text")];

/** `items` QR codes of 64 px, one task each; the output has as many pictures. */
export function codes(items: number): BenchWorkflow {
  return {
    name: `Bench: ${items} codes`,
    definition: {
      nodes: [...codeNodes(items), { id: "out", type: "output/image", parameters: { key: "out" } }],
      connections: [...CODE_LINKS, link("code", "image", "out", "image")],
    },
  };
}

/**
 * `items` QR codes with round modules, one task each; the output has as many drawings of about 20 KiB, which are stored
 * in R2.
 */
export function vectorCodes(items: number): BenchWorkflow {
  const drawn = { size: 400, module_shape: "circle", error_correction: "H" };
  return {
    name: `Bench: ${items} drawings of codes`,
    definition: {
      nodes: [
        ...codeNodes(items, drawn),
        { id: "out", type: "output/image", parameters: { key: "out" } },
      ],
      connections: [...CODE_LINKS, link("code", "svg", "out", "image")],
    },
  };
}

/** `items` QR codes, one task each; the output has the text read back from each, and no picture. */
export function codeChecks(items: number): BenchWorkflow {
  return {
    name: `Bench: ${items} checks of codes`,
    definition: {
      nodes: [...codeNodes(items), { id: "out", type: "output/json", parameters: { key: "out" } }],
      connections: [...CODE_LINKS, link("code", "check", "out", "json")],
    },
  };
}

/**
 * `items` texts, each drawn as a QR code and read back as a task, none stored; the output is the number that passed.
 */
export function checkedCodes(items: number): BenchWorkflow {
  return {
    name: `Bench: ${items} codes checked`,
    definition: {
      nodes: [
        ...codeNodes(items),
        {
          id: "all",
          type: "aggregate/json",
          parameters: { jsonAggregateConfig: { columns: [{ inputPort: "check" }] } },
        },
        { id: "out", type: "output/json", parameters: { key: "out" } },
      ],
      connections: [
        ...CODE_LINKS,
        link("code", "check", "all", "check"),
        link("all", "count", "out", "json"),
      ],
    },
  };
}

/**
 * `items` article numbers, each drawn as an EAN-13 code and read back as a task. Every `every`th number is the value of
 * the input `odd`: one with too few digits makes these items fail, and another input fixes them. The output is the
 * number that passed.
 */
export function failingCodes(items: number, every: number): BenchWorkflow {
  return {
    name: `Bench: ${items} codes, some failing`,
    definition: {
      nodes: [
        number("odd"),
        { id: "items", type: "enumerate/range", parameters: { start: 1, end: items } },
        {
          id: "pick",
          type: "utility/calculate",
          parameters: {
            expression: `if(floor(n / ${every}) * ${every} == n, odd, 100000000000 + n)`,
          },
        },
        {
          id: "text",
          type: "text/template",
          parameters: { template: "[picked]", placeholders: [{ inputPort: "picked" }] },
        },
        { id: "code", type: "image/code", parameters: { symbology: "ean13", size: 128 } },
        {
          id: "all",
          type: "aggregate/json",
          parameters: { jsonAggregateConfig: { columns: [{ inputPort: "check" }] } },
        },
        { id: "out", type: "output/json", parameters: { key: "out" } },
      ],
      connections: [
        link("items", "value", "pick", "n"),
        link("odd", "number", "pick", "odd"),
        link("pick", "result", "text", "picked"),
        link("text", "text", "code", "text"),
        link("code", "check", "all", "check"),
        link("all", "count", "out", "json"),
      ],
    },
  };
}
