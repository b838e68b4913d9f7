import * as z from "zod";
import { maySkipRows } from "../../expressions/cell-policy.ts";
import { elementsOf } from "../../expressions/elements-of.ts";
import { jsonPathField } from "../../expressions/json-path-field.ts";
import {
  columnPorts,
  compileColumns,
  countKept,
  rowColumnsField,
} from "../../expressions/row-columns.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { columnPortsOf } from "../define-column-ports.ts";
import { defineNode } from "../define-node.ts";

const OWN_PORTS = ["item", "index"];

export const enumerateJson = defineNode({
  type: "enumerate/json",
  version: "1.1",
  name: "For each in JSON",
  description: "Runs the following nodes once for each element of a list.",
  whenToUse: "To work on the rows of a JSON value, and to compute columns from their fields.",
  subCategory: "iteration",
  status: "stable",
  icon: "list",
  color: "#7c3aed",
  inputs: [{ name: "json", type: "json", label: "JSON" }],
  outputs: [
    { name: "item", type: "any", label: "Element", enumerable: true },
    { name: "index", type: "number", label: "Index, from 0", enumerable: true },
  ],
  params: z.strictObject({
    path: jsonPathField.default("$").meta({
      title: "Path",
      description: "Path of the list: `$` for the whole value, `$.orders` for a field.",
    }),
    jsonConfig: z
      .strictObject({ properties: rowColumnsField(OWN_PORTS).default([]) })
      .prefault({})
      .meta({
        title: "Columns",
        description: "Fields of each element that get an output port of their own.",
      }),
  }),
  dynamicPorts: {
    descriptors: [columnPortsOf("jsonConfig", "properties", OWN_PORTS)],
    resolve: ({ jsonConfig }) => ({ outputs: columnPorts(jsonConfig.properties) }),
  },
  role: "enumerator",
  work: ({ jsonConfig }) => 2 + 5 * jsonConfig.properties.length,
  countItems(inputs, { path, jsonConfig: { properties } }) {
    const items = elementsOf(inputs.json("json"), path);
    return maySkipRows(properties) ? countKept(items, properties) : items.length;
  },
  *enumerate(inputs, { path, jsonConfig }) {
    const reader = compileColumns(jsonConfig.properties);
    let index = 0;
    for (const item of elementsOf(inputs.json("json"), path)) {
      const outputs = new Map<string, JsonValue>([
        ["item", item],
        ["index", index],
      ]);
      index += 1;
      if (reader.read(item, index, outputs)) {
        yield outputs;
      }
    }
    return reader.notes;
  },
});
