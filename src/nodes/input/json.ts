import * as z from "zod";
import { inputParameters, jsonField } from "../../contracts/workflows/node-parameters.ts";
import type { ReadingNotes } from "../../contracts/reading-notes.ts";
import { maySkipRows } from "../../expressions/cell-policy.ts";
import { elementsOf } from "../../expressions/elements-of.ts";
import { jsonPathField } from "../../expressions/json-path-field.ts";
import {
  columnPorts,
  compileColumns,
  countKept,
  rowColumnsField,
  type RowReader,
} from "../../expressions/row-columns.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { jsonValueProblem } from "../../lib/json/value-depth.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { columnPortsOf } from "../define-column-ports.ts";
import { defineNode } from "../define-node.ts";
import type { NodeOutputs } from "../define-ports.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const OWN_PORTS = ["item"];
const ROOT = "$";

const params = z.strictObject({
  ...inputParameters,
  default: jsonField
    .nullish()
    .meta({ title: "Default", description: "The list to use when a run does not send one." }),
  value: jsonField
    .nullish()
    .meta({ title: "Value", description: "The same as `default`, which takes precedence." }),
  asset_path: z.string().min(1).max(LIMITS.asset_path.value).nullish().meta({
    title: "Default file",
    description: "The asset_path to use when a run sends no value and there is no default value.",
  }),
  table: jsonPathField.optional().meta({
    title: "Table",
    description:
      "Path of the list in the value or the file: `$` or `$.orders`. The default is `$`, or the only array of objects in a file that is not a list.",
    advanced: true,
  }),
  jsonConfig: z
    .strictObject({ properties: rowColumnsField(OWN_PORTS).default([]) })
    .prefault({})
    .meta({
      title: "Columns",
      description: "Fields of each element that get an output port of their own.",
    }),
});

export const inputJson = defineNode({
  type: "input/json",
  version: "1.2",
  name: "JSON list",
  description: "A list that the caller sends; the following nodes run once for each element.",
  whenToUse: "To run a workflow over rows. For one structured value use input/json_value.",
  subCategory: "values",
  status: "stable",
  icon: "list",
  color: "#2563eb",
  inputs: [],
  outputs: [{ name: "item", type: "any", label: "Element", enumerable: true }],
  params,
  dynamicPorts: {
    descriptors: [columnPortsOf("jsonConfig", "properties", OWN_PORTS)],
    resolve: ({ jsonConfig }) => ({ outputs: columnPorts(jsonConfig.properties) }),
  },
  role: "input",
  inputKind: "json",
  files: {
    extensions: ["json", "ndjson", "jsonl"],
    isOnly: false,
    defaultPath: ({ asset_path: path }) => path ?? undefined,
  },
  work: ({ jsonConfig }) => 2 + 5 * jsonConfig.properties.length,
  isRequired: ({ required }) => required,
  defaultValue: ({ default: value, value: inline }) => value ?? inline ?? undefined,
  parse: (value) => {
    const problem = jsonValueProblem(value);
    return problem === undefined ? { value } : { problem: `Cannot be used: ${problem}.` };
  },
  needs: ["datasets"],
  stream({ datasets }, inputs, { table, jsonConfig }) {
    const value = inputs.get("value");
    return value instanceof FileRef
      ? itemsOfFile(datasets.jsonItems(value, table), compileColumns(jsonConfig.properties))
      : undefined;
  },
  countItems(inputs, { table, jsonConfig: { properties } }) {
    const items = elementsOf(inputs.json("value"), table ?? ROOT);
    return maySkipRows(properties) ? countKept(items, properties) : items.length;
  },
  *enumerate(inputs, { table, jsonConfig }) {
    const reader = compileColumns(jsonConfig.properties);
    let row = 0;
    for (const item of elementsOf(inputs.json("value"), table ?? ROOT)) {
      row += 1;
      const outputs = new Map<string, JsonValue>([["item", item]]);
      if (reader.read(item, row, outputs)) {
        yield outputs;
      }
    }
    return reader.notes;
  },
});

async function* itemsOfFile(
  items: AsyncIterable<JsonValue>,
  reader: RowReader,
): AsyncGenerator<NodeOutputs, ReadingNotes | undefined> {
  let row = 0;
  for await (const item of items) {
    row += 1;
    const outputs = new Map<string, JsonValue>([["item", item]]);
    if (reader.read(item, row, outputs)) {
      yield outputs;
    }
  }
  return reader.notes;
}
