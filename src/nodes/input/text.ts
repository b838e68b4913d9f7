import * as z from "zod";
import { inputParameters, integerField } from "../../contracts/workflows/node-parameters.ts";
import { countCharacters } from "../../lib/count-characters.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { defineNode } from "../define-node.ts";

const params = z.strictObject({
  ...inputParameters,
  default: z.string().nullish().meta({ title: "Default" }),
  max_length: integerField(1, 1_000_000)
    .optional()
    .meta({ title: "Longest text", description: "In characters.", advanced: true }),
  multiline: z
    .boolean()
    .default(false)
    .meta({ title: "Several lines", description: "Show a box with several lines." }),
});

function parse(
  value: JsonValue,
  { max_length: max }: z.output<typeof params>,
): { value: JsonValue } | { problem: string } {
  if (typeof value !== "string") {
    return { problem: 'Must be a text: send a JSON string with its quotes, such as "hello".' };
  }
  if (!value.isWellFormed()) {
    return { problem: "Contains an unpaired surrogate; send complete Unicode characters." };
  }
  // Code units first: a text never has more characters than code units, so short texts need no counting.
  if (max !== undefined && value.length > max) {
    const length = countCharacters(value);
    if (length > max) {
      return {
        problem: `Has ${length} characters and must not have more than ${max}. Shorten it.`,
      };
    }
  }
  return { value };
}

export const inputText = defineNode({
  type: "input/text",
  version: "1.0",
  name: "Text",
  description: "A text that the caller of the workflow sends.",
  whenToUse: "For names, prompts and messages: any text that a caller types.",
  subCategory: "values",
  status: "stable",
  icon: "text",
  color: "#2563eb",
  inputs: [],
  outputs: [{ name: "text", type: "text", label: "Text" }],
  params,
  role: "input",
  inputKind: "text",
  work: 1,
  isRequired: ({ required }) => required,
  defaultValue: ({ default: value }) => value ?? undefined,
  parse,
});
