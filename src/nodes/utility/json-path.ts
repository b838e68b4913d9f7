import * as z from "zod";
import { valueTypeField } from "../../contracts/workflows/node-parameters.ts";
import { convertValue, jsonKind } from "../../expressions/convert-value.ts";
import { parseJsonPath, readJsonPath } from "../../expressions/json-path.ts";
import { jsonPathField } from "../../expressions/json-path-field.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { defineNode } from "../define-node.ts";

export const utilityJsonPath = defineNode({
  type: "utility/json_path",
  version: "1.1",
  name: "JSON path",
  description: "Picks one part of a JSON value.",
  whenToUse: "To read a field, an element, or one field of every element of a JSON value.",
  subCategory: "logic",
  status: "stable",
  icon: "crosshair",
  color: "#d97706",
  inputs: [{ name: "json", type: "json", label: "JSON" }],
  outputs: [{ name: "value", type: "any", label: "Value" }],
  params: z.strictObject({
    path: jsonPathField.meta({
      title: "Path",
      description: '`$.a.b`, `$.items[0]`, `$.a["b.c"]`; `$.items[*].price` gives a list.',
    }),
    output_type: valueTypeField.default("any").meta({
      title: "Type",
      description: "Text is never read as a number; numbers and booleans do become text.",
    }),
    on_missing: z.enum(["fail", "absent"]).default("fail").meta({
      title: "If there is no value",
      description: "Fail, or return no value.",
      advanced: true,
    }),
  }),
  dynamicPorts: {
    descriptors: [
      { derivation: "typed", direction: "output", parameter: "output_type", port: "value" },
    ],
    resolve: ({ output_type: type, on_missing: onMissing }) => ({
      without: ["value"],
      outputs: [{ name: "value", type, optional: onMissing === "absent", label: "Value" }],
    }),
  },
  role: "transform",
  placement: "inline",
  work: 4,
  run(_ctx, inputs, { path, output_type: type, on_missing: onMissing }) {
    const found = readJsonPath(inputs.json("json"), parseJsonPath(path));
    if (found === undefined) {
      if (onMissing === "absent") {
        return new Map();
      }
      throw new NodeError(
        "JSON_PATH_NOT_FOUND",
        `There is nothing at "${path}". Fix the path, or set \`on_missing\` to absent.`,
      );
    }
    const value = convertValue(found, type);
    if (value === undefined) {
      throw new NodeError(
        "TYPE_MISMATCH",
        `The value at "${path}" is ${jsonKind(found)}, and \`output_type\` is ${type}.`,
      );
    }
    return new Map<string, JsonValue>([["value", value]]);
  },
});
