import * as z from "zod";
import { aggregateParameters, portNameField } from "../../contracts/workflows/node-parameters.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { defineNode } from "../define-node.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const columnsField = z
  .array(
    z.strictObject({
      inputPort: portNameField,
      key: z.string().min(1).max(LIMITS.identifier.value).optional(),
    }),
  )
  .min(1)
  .max(LIMITS.aggregated_ports.value)
  .superRefine((columns, context) => {
    const ports = new Set<string>();
    const keys = new Set<string>();
    columns.forEach(({ inputPort, key = inputPort }, index) => {
      if (ports.has(inputPort)) {
        context.addIssue({
          code: "custom",
          path: [index, "inputPort"],
          message: `The port name "${inputPort}" is used twice; give the column another name.`,
        });
      }
      if (keys.has(key)) {
        context.addIssue({
          code: "custom",
          path: [index, "key"],
          message: `The key "${key}" is used twice; give the column another key.`,
        });
      }
      ports.add(inputPort);
      keys.add(key);
    });
  });

export const aggregateJson = defineNode({
  type: "aggregate/json",
  version: "1.0",
  name: "Collect as JSON",
  description: "Collects the elements of an iteration in one list of objects, in index order.",
  whenToUse: "To end an iteration: its columns become the keys of one object for each element.",
  subCategory: "iteration",
  status: "stable",
  icon: "layers",
  color: "#7c3aed",
  inputs: [],
  outputs: [
    { name: "json", type: "json", label: "List" },
    { name: "count", type: "number", label: "Count" },
  ],
  params: z.strictObject({
    jsonAggregateConfig: z.strictObject({ columns: columnsField }).meta({
      title: "Columns",
      description: "The members of each object; the default of `key` is the port's name.",
    }),
    ...aggregateParameters,
  }),
  dynamicPorts: {
    descriptors: [
      {
        derivation: "named",
        direction: "input",
        parameter: "jsonAggregateConfig",
        items_path: "columns",
        name_field: "inputPort",
        port_type: "any",
      },
    ],
    resolve: ({ jsonAggregateConfig }) => ({
      inputs: jsonAggregateConfig.columns.map(({ inputPort }) => ({
        name: inputPort,
        type: "any" as const,
      })),
    }),
  },
  role: "aggregator",
  work: ({ jsonAggregateConfig }) => 1 + jsonAggregateConfig.columns.length,
  collapse: ({ collapse }) => collapse,
  onFailedItems: ({ on_failed_items: onFailedItems }) => onFailedItems,
  aggregate({ jsonAggregateConfig: { columns } }) {
    const list: JsonValue[] = [];
    return {
      add(inputs) {
        // fromEntries makes own properties of every key, `__proto__` too.
        const entries = columns.map(({ inputPort, key = inputPort }): [string, JsonValue] => {
          const value = inputs.get(inputPort) ?? null;
          if (value instanceof FileRef) {
            throw new NodeError(
              "TYPE_MISMATCH",
              `Column "${inputPort}" has a file, and JSON cannot contain files. Send the file to an output node.`,
            );
          }
          return [key, value];
        });
        list.push(Object.fromEntries(entries));
      },
      finish: () =>
        new Map<string, JsonValue>([
          ["json", list],
          ["count", list.length],
        ]),
    };
  },
});
