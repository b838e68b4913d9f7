const link = (from: string, to: string) => {
  const [node = "", port = ""] = from.split(".");
  const [toNode = "", toPort = ""] = to.split(".");
  return { from: { node, port }, to: { node: toNode, port: toPort } };
};

const code = (id: string) => ({
  id,
  type: "image/code",
  parameters: { symbology: "qr", size: 64 },
});
const image = (id: string) => ({ id, type: "output/image", parameters: {} });

/** Each row is a text, which is also its column. */
const TEXT_COLUMN = { properties: [{ path: "$", outputPort: "text", outputType: "text" }] };

/** One code for each row: 20 milli-credits a row. */
export const CODES = {
  nodes: [
    { id: "rows", type: "input/json", label: "rows", parameters: { jsonConfig: TEXT_COLUMN } },
    code("codes"),
    image("out"),
  ],
  connections: [link("rows.text", "codes.text"), link("codes.image", "out.image")],
};

/** The same with rows from a node: their number is known only during the run. */
export const DEFERRED_CODES = {
  nodes: [
    { id: "data", type: "input/json_value", label: "data", parameters: {} },
    { id: "pick", type: "utility/json_path", parameters: { path: "$.rows" } },
    { id: "rows", type: "enumerate/json", parameters: { jsonConfig: TEXT_COLUMN } },
    code("codes"),
    image("out"),
    { id: "echo", type: "output/json", parameters: {} },
  ],
  connections: [
    link("data.json", "pick.json"),
    link("pick.value", "rows.json"),
    link("rows.text", "codes.text"),
    link("codes.image", "out.image"),
    link("data.json", "echo.json"),
  ],
};

/** A paid node behind a branch, and one behind an optional input. */
export const BRANCHED_CODES = {
  nodes: [
    { id: "text", type: "input/text", label: "text", parameters: {} },
    { id: "extra", type: "input/text", label: "extra", parameters: { required: false } },
    { id: "check", type: "utility/condition", parameters: { operator: "equals", operand: "yes" } },
    code("taken"),
    code("optional"),
    image("out"),
    image("out2"),
  ],
  connections: [
    link("text.text", "check.value"),
    link("check.true", "taken.text"),
    link("extra.text", "optional.text"),
    link("taken.image", "out.image"),
    link("optional.image", "out2.image"),
  ],
};
