/** Texts of a list, each drawn as a code by the runner: the workflow whose pace a test sets. */
export const CODED_DEFINITION = {
  nodes: [
    { id: "texts", type: "input/json", label: "Texts", parameters: { required: true } },
    { id: "draw", type: "image/code", label: "Draw", parameters: { symbology: "qr" } },
    { id: "picture", type: "output/image", label: "Picture", parameters: {} },
    { id: "echo", type: "output/json", label: "Echo", parameters: {} },
  ],
  connections: [
    { from: { node: "texts", port: "item" }, to: { node: "draw", port: "text" } },
    { from: { node: "texts", port: "item" }, to: { node: "echo", port: "json" } },
    { from: { node: "draw", port: "image" }, to: { node: "picture", port: "image" } },
  ],
};

export function textsInput(texts: readonly string[]) {
  return { texts: { value: JSON.stringify(texts) } };
}
