import * as z from "zod";
import { inputParameters } from "../../contracts/workflows/node-parameters.ts";
import { columnPorts, compileColumns, rowColumnsField } from "../../expressions/row-columns.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { jsonValueProblem } from "../../lib/json/value-depth.ts";
import { BATCH_INPUT, batchItemsOf } from "../define-batch-item.ts";
import { columnPortsOf } from "../define-column-ports.ts";
import { defineNode } from "../define-node.ts";

const OWN_PORTS = ["item", "index"];

const params = z.strictObject({
  ...inputParameters,
  jsonConfig: z
    .strictObject({ properties: rowColumnsField(OWN_PORTS).default([]) })
    .prefault({})
    .meta({
      title: "Columns",
      description: "Fields of each item that get an output port of their own.",
    }),
});

export const inputBatch = defineNode({
  type: BATCH_INPUT,
  version: "1.0",
  name: "Batch item",
  description:
    "The item of a batch for which the workflow runs. In a run of its own it is a list, and the following nodes run once for each element.",
  whenToUse:
    "To work on whole rows of a dataset or items of a batch, and to try the workflow with a list.",
  subCategory: "values",
  status: "stable",
  icon: "layers",
  color: "#2563eb",
  inputs: [],
  outputs: [
    { name: "item", type: "any", label: "Item", enumerable: true },
    { name: "index", type: "number", label: "Index, from 0", enumerable: true },
  ],
  params,
  dynamicPorts: {
    descriptors: [columnPortsOf("jsonConfig", "properties", OWN_PORTS)],
    resolve: ({ jsonConfig }) => ({ outputs: columnPorts(jsonConfig.properties) }),
  },
  role: "input",
  inputKind: "json",
  work: ({ jsonConfig }) => 2 + 5 * jsonConfig.properties.length,
  isRequired: ({ required }) => required,
  defaultValue: () => undefined,
  parse: (value) => {
    if (!Array.isArray(value)) {
      return { problem: "Must be a JSON array, of which each element is an item." };
    }
    const problem = jsonValueProblem(value);
    return problem === undefined ? { value } : { problem: `Cannot be used: ${problem}.` };
  },
  countItems: (inputs) => batchItemsOf(inputs.json("value")).items.length,
  *enumerate(inputs, { jsonConfig }) {
    const reader = compileColumns(jsonConfig.properties);
    const { first, items } = batchItemsOf(inputs.json("value"));
    for (const [at, item] of items.entries()) {
      const outputs = new Map<string, JsonValue>([
        ["item", item],
        ["index", first + at],
      ]);
      if (reader.read(item, at + 1, outputs)) {
        yield outputs;
      }
    }
    return reader.notes;
  },
});
