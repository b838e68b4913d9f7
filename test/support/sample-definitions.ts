/** The smallest useful workflow: one text in, one text out. */
export const greeting = {
  nodes: [
    { id: "name", type: "input/text", label: "Name", parameters: {} },
    {
      id: "line",
      type: "text/template",
      label: "Line",
      parameters: { template: "Hello [who]", placeholders: [{ inputPort: "who" }] },
    },
    { id: "message", type: "output/text", label: "Message", parameters: {} },
  ],
  connections: [
    { from: { node: "name", port: "text" }, to: { node: "line", port: "who" } },
    { from: { node: "line", port: "text" }, to: { node: "message", port: "text" } },
  ],
};

/** The same with another label or other parameters on its input. */
export function greetingWith(change: { label?: string; parameters?: Record<string, unknown> }) {
  const [input, ...rest] = greeting.nodes;
  return { ...greeting, nodes: [{ ...input, ...change }, ...rest] };
}
