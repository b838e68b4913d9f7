/**
 * The workflows of runs that are killed: one with many commits, one with many rows, one with tasks that cost credits.
 */
export const CHAIN_STEPS = 10;
export const ROWS = 1500;
export const PICTURES = 6;

export function chainWorkflow() {
  const steps = Array.from({ length: CHAIN_STEPS }, (_, i) => ({
    id: `step_${i}`,
    type: "utility/calculate",
    parameters: { expression: "x + 1" },
  }));
  return {
    name: "Crash: chain",
    definition: {
      nodes: [
        { id: "start", type: "input/number", label: "start", parameters: { default: 0 } },
        ...steps,
        { id: "out", type: "output/json", label: "out", parameters: { key: "out" } },
      ],
      connections: [
        { from: { node: "start", port: "number" }, to: { node: "step_0", port: "x" } },
        ...steps.slice(1).map(({ id }, i) => ({
          from: { node: `step_${i}`, port: "result" },
          to: { node: id, port: "x" },
        })),
        {
          from: { node: `step_${CHAIN_STEPS - 1}`, port: "result" },
          to: { node: "out", port: "json" },
        },
      ],
    },
  };
}

export function rowsWorkflow() {
  return {
    name: "Crash: rows",
    definition: {
      nodes: [
        { id: "rows", type: "enumerate/range", parameters: { start: 1, end: ROWS } },
        { id: "square", type: "utility/calculate", parameters: { expression: "n * n" } },
        {
          id: "line",
          type: "text/template",
          parameters: {
            template: "row [n] squared is [square]",
            placeholders: [{ inputPort: "n" }, { inputPort: "square" }],
          },
        },
        { id: "joined", type: "aggregate/text", parameters: { separator: "\n" } },
        {
          id: "counted",
          type: "aggregate/json",
          parameters: { jsonAggregateConfig: { columns: [{ inputPort: "square" }] } },
        },
        { id: "text", type: "output/text", parameters: { key: "text" } },
        { id: "count", type: "output/json", parameters: { key: "count" } },
      ],
      connections: [
        { from: { node: "rows", port: "value" }, to: { node: "square", port: "n" } },
        { from: { node: "rows", port: "value" }, to: { node: "line", port: "n" } },
        { from: { node: "square", port: "result" }, to: { node: "line", port: "square" } },
        { from: { node: "line", port: "text" }, to: { node: "joined", port: "text" } },
        { from: { node: "square", port: "result" }, to: { node: "counted", port: "square" } },
        { from: { node: "joined", port: "text" }, to: { node: "text", port: "text" } },
        { from: { node: "counted", port: "count" }, to: { node: "count", port: "json" } },
      ],
    },
  };
}

export function picturesWorkflow() {
  return {
    name: "Crash: pictures",
    definition: {
      nodes: [
        { id: "rows", type: "enumerate/range", parameters: { start: 1, end: PICTURES } },
        {
          id: "line",
          type: "text/template",
          parameters: { template: "picture [n]", placeholders: [{ inputPort: "n" }] },
        },
        { id: "code", type: "image/code", parameters: { symbology: "qr", size: 128 } },
        { id: "codes", type: "output/image", parameters: { key: "codes" } },
      ],
      connections: [
        { from: { node: "rows", port: "value" }, to: { node: "line", port: "n" } },
        { from: { node: "line", port: "text" }, to: { node: "code", port: "text" } },
        { from: { node: "code", port: "image" }, to: { node: "codes", port: "image" } },
      ],
    },
  };
}
