import * as z from "zod";
import { delimiterField } from "../../contracts/dataset.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { csvConfigField, csvItems, csvOptions, csvPorts } from "../define-csv-rows.ts";
import { defineNode } from "../define-node.ts";

const OWN_PORTS = ["item", "index"];

const params = z.strictObject({
  csvConfig: csvConfigField(OWN_PORTS),
  delimiter: delimiterField.nullish().meta({
    title: "Delimiter",
    description: "Detected if omitted.",
  }),
});

export const enumerateCsv = defineNode({
  type: "enumerate/csv",
  version: "1.1",
  name: "For each row of CSV",
  description: "Runs the following nodes once for each row of a CSV text or document.",
  whenToUse:
    "For CSV that a node makes or a caller sends as text. For uploaded files see input/data.",
  subCategory: "iteration",
  status: "stable",
  icon: "rows",
  color: "#7c3aed",
  inputs: [
    { name: "text", type: "text", label: "CSV text", required: "if_connected" },
    { name: "document", type: "document", label: "CSV document", required: "if_connected" },
  ],
  outputs: [
    { name: "item", type: "any", label: "Row", enumerable: true },
    { name: "index", type: "number", label: "Index, from 0", enumerable: true },
  ],
  params,
  dynamicPorts: csvPorts(OWN_PORTS),
  check: (_params, connected) =>
    connected.length === 1
      ? []
      : [
          {
            code: connected.length === 0 ? "PORT_NOT_CONNECTED" : "invalid_dynamic_config",
            path: "csvConfig",
            message:
              connected.length === 0
                ? "Connect `text` or `document`: one of them has the CSV."
                : "Both `text` and `document` are connected. Connect one of them.",
          },
        ],
  role: "enumerator",
  work: ({ csvConfig }) => 10 + 5 * csvConfig.columns.length,
  needs: ["datasets"],
  stream({ datasets }, inputs, given) {
    const source = inputs.get("document") ?? inputs.get("text");
    if (typeof source !== "string" && !(source instanceof FileRef)) {
      throw new NodeError("TYPE_MISMATCH", "Neither `text` nor `document` holds CSV.");
    }
    const rows = datasets.csvRows(source, csvOptions(given));
    return csvItems(rows, given.csvConfig, { hasIndex: true });
  },
});
