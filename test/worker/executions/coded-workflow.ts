/** A workflow whose pace the test sets: the runner draws each text of a list as a code. */
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
