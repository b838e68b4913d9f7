import * as z from "zod";
import { portNameField } from "../../contracts/workflows/node-parameters.ts";
import { TextBuilder } from "../../expressions/text-builder.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { defineNode } from "../define-node.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const placeholderNames = z
  .array(z.strictObject({ inputPort: portNameField }))
  .max(LIMITS.aggregated_ports.value)
  .superRefine((placeholders, context) => {
    const seen = new Set<string>();
    placeholders.forEach(({ inputPort }, index) => {
      const problem =
        inputPort === "template"
          ? 'The name "template" is reserved for the template itself; rename the placeholder.'
          : seen.has(inputPort)
            ? `The placeholder "${inputPort}" is in the list twice. Remove one.`
            : /[[\]]/.test(inputPort)
              ? `The placeholder "${inputPort}" must not contain square brackets; they mark it in the template.`
              : undefined;
      seen.add(inputPort);
      if (problem !== undefined) {
        context.addIssue({ code: "custom", path: [index, "inputPort"], message: problem });
      }
    });
  });

const params = z.strictObject({
  template: z.string().max(LIMITS.template.value).optional().meta({
    title: "Template",
    description: "Text with a [marker] for each placeholder.",
    exposable: true,
  }),
  placeholders: placeholderNames.default([]).meta({
    title: "Placeholders",
    description: "Each becomes an input port, marked [inputPort] in the template.",
  }),
});

/** Replaces literal `[name]` markers with values in one pass; markers inside values are not replaced. */
function fill(template: string, valueOf: ReadonlyMap<string, string>): string {
  const text = new TextBuilder();
  let from = 0;
  let open = template.indexOf("[");
  while (open !== -1) {
    const close = template.indexOf("]", open);
    if (close === -1) {
      break;
    }
    // The innermost bracket counts: `[[name]` contains the marker `[name]`.
    const start = template.lastIndexOf("[", close);
    const value = valueOf.get(template.slice(start + 1, close));
    if (value !== undefined) {
      text.add(template.slice(from, start));
      text.add(value);
      from = close + 1;
    }
    open = template.indexOf("[", close + 1);
  }
  text.add(template.slice(from));
  return text.toString();
}

export const textTemplate = defineNode({
  type: "text/template",
  version: "1.0",
  name: "Template",
  description: "Creates a text from a template by replacing [markers] with values.",
  whenToUse: "For prompts, messages, file names and addresses made of several values.",
  subCategory: "text",
  status: "stable",
  icon: "file-text",
  color: "#0d9488",
  inputs: [{ name: "template", type: "text", required: false, label: "Template" }],
  outputs: [{ name: "text", type: "text", label: "Text" }],
  params,
  dynamicPorts: {
    descriptors: [
      {
        derivation: "named",
        direction: "input",
        parameter: "placeholders",
        items_path: "",
        name_field: "inputPort",
        port_type: "text",
        reserved_names: ["template"],
      },
    ],
    // Not required: an absent placeholder is empty text (docs/contract/catalog.md#dynamic-ports).
    resolve: ({ placeholders }) => ({
      inputs: placeholders.map(({ inputPort }) => ({
        name: inputPort,
        type: "text" as const,
        required: false,
        accepts: ["number", "boolean"] as const,
      })),
    }),
  },
  check: ({ template }, connected) =>
    template !== undefined || connected.some(({ port }) => port === "template")
      ? []
      : [
          {
            code: "TEXT_TEMPLATE_MISSING_TEMPLATE",
            path: "template",
            message:
              "There is no template. Write one in the parameter `template`, or connect a text to the input `template`.",
          },
        ],
  role: "transform",
  placement: "inline",
  work: 4,
  run(_ctx, inputs, { template, placeholders }) {
    const text = inputs.has("template") ? inputs.text("template") : template;
    if (text === undefined) {
      throw new NodeError(
        "TEXT_TEMPLATE_MISSING_TEMPLATE",
        "The input `template` has no value, and the parameter `template` is not set.",
      );
    }
    const values = new Map(
      placeholders.map(({ inputPort }) => [
        inputPort,
        inputs.has(inputPort) ? inputs.text(inputPort) : "",
      ]),
    );
    return new Map([["text", fill(text, values)]]);
  },
});
