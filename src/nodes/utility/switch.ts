import * as z from "zod";
import { jsonField } from "../../contracts/workflows/node-parameters.ts";
import { jsonEqual } from "../../expressions/json-equal.ts";
import { parseJsonPath, readJsonPath } from "../../expressions/json-path.ts";
import { jsonPathField } from "../../expressions/json-path-field.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { defineNode } from "../define-node.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const CASES_MAX = LIMITS.cases.value;

export const utilitySwitch = defineNode({
  type: "utility/switch",
  version: "1.0",
  name: "Switch",
  description: "Sends a value to the branch of the first case that it equals.",
  whenToUse: "To choose among several branches by one value, such as a language or a status.",
  subCategory: "logic",
  status: "stable",
  icon: "shuffle",
  color: "#d97706",
  inputs: [{ name: "value", type: "any", label: "Value" }],
  outputs: [{ name: "default", type: "any", typeOf: "value", optional: true, label: "No case" }],
  params: z.strictObject({
    cases: z
      .array(z.strictObject({ equals: jsonField }))
      .min(1)
      .max(CASES_MAX)
      .meta({
        title: "Cases",
        description: "Each case has a branch; numbers are compared as exact decimals.",
      }),
    path: jsonPathField.default("$").meta({
      title: "Path",
      description: "The part of the value that is compared; the whole value is passed on.",
    }),
  }),
  dynamicPorts: {
    descriptors: [
      {
        derivation: "positional",
        direction: "output",
        parameter: "cases",
        name_pattern: "case_{index}",
        index_base: 0,
        port_type: "any",
        min_count: 1,
        max_count: CASES_MAX,
        mode: "array_length",
      },
    ],
    resolve: ({ cases }) => ({
      outputs: cases.map((_case, index) => ({
        name: `case_${index}`,
        type: "any" as const,
        typeOf: "value",
        optional: true,
      })),
    }),
  },
  role: "transform",
  placement: "inline",
  work: ({ cases }) => 3 + cases.length,
  run(_ctx, inputs, { cases, path }) {
    const value = inputs.get("value") ?? null;
    if (value instanceof FileRef) {
      throw new NodeError(
        "TYPE_MISMATCH",
        "A switch cannot compare a file. Switch on a text, a number or JSON instead.",
      );
    }
    const tested = readJsonPath(value, parseJsonPath(path));
    const taken =
      tested === undefined ? -1 : cases.findIndex(({ equals }) => jsonEqual(tested, equals));
    return new Map([[taken === -1 ? "default" : `case_${taken}`, value]]);
  },
});
