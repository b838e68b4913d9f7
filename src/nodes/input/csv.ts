import * as z from "zod";
import { delimiterField } from "../../contracts/dataset.ts";
import {
  defaultFileParameters,
  inputParameters,
} from "../../contracts/workflows/node-parameters.ts";
import { csvConfigField, csvItems, csvOptions, csvPorts } from "../define-csv-rows.ts";
import { defineNode } from "../define-node.ts";

const OWN_PORTS = ["item"];

const params = z.strictObject({
  ...inputParameters,
  ...defaultFileParameters,
  csvConfig: csvConfigField(OWN_PORTS),
  delimiter: delimiterField.nullish().meta({
    title: "Delimiter",
    description: "Detected if omitted.",
    advanced: true,
  }),
});

export const inputCsv = defineNode({
  type: "input/csv",
  version: "1.2",
  name: "CSV file",
  description: "A CSV file that the caller uploads; the following nodes run once for each row.",
  whenToUse:
    "To run a workflow over the rows of a small CSV. For profiles and other formats see input/data.",
  subCategory: "files",
  status: "stable",
  icon: "rows",
  color: "#2563eb",
  inputs: [],
  outputs: [{ name: "item", type: "any", label: "Row", enumerable: true }],
  params,
  dynamicPorts: csvPorts(OWN_PORTS),
  role: "input",
  inputKind: "any",
  files: {
    extensions: ["csv", "tsv", "txt"],
    isOnly: true,
    defaultPath: ({ default: path, asset_path: other }) => path ?? other ?? undefined,
  },
  work: ({ csvConfig }) => 10 + 5 * csvConfig.columns.length,
  isRequired: ({ required }) => required,
  defaultValue: () => undefined,
  parse: () => ({ problem: "Must be a stored file: send its asset_path." }),
  needs: ["datasets"],
  stream({ datasets }, inputs, given) {
    const rows = datasets.csvRows(inputs.file("value"), csvOptions(given));
    return csvItems(rows, given.csvConfig);
  },
});
