/** Cases of the nodes that read tables from files and texts. */
import type { CaseFile, NodeCase } from "./run-case.ts";

const encoder = new TextEncoder();
const table = (name: string, type: string, text: string): CaseFile => ({
  file: name,
  type,
  bytes: encoder.encode(text),
});

const CSV = 'name,price,day\npen,1.10,2026-01-31\n"ink, ""blue""",,2026-02-01\n\nbook,x,\n';
const LINES = '{"name":"pen","price":1.10}\n{"name":"ink","price":12.50,"more":[1]}\n';

const columns = [
  { header: "name", outputPort: "title", outputType: "text" },
  { header: "price", outputPort: "price", outputType: "number", onInvalid: "skip_row" },
  {
    outputPort: "label",
    outputType: "text",
    isComputed: true,
    formula: "{{ name | upper }}: {{ day }}",
  },
];
const csvConfig = { columns };

export const TABLE_CASES: Readonly<Record<string, readonly NodeCase[]>> = {
  "enumerate/csv": [
    { name: "a text", ports: { text: CSV } },
    { name: "columns of a text", params: { csvConfig }, ports: { text: CSV } },
    {
      name: "a document with tabs",
      params: { csvConfig: { columns: columns.slice(0, 1) } },
      ports: { document: table("a.tsv", "text/tab-separated-values", "name\tb\npen\t1\nink\t\n") },
    },
    {
      name: "another delimiter",
      params: { delimiter: ";" },
      ports: { text: "a;b,c\n1;2\n" },
    },
    {
      name: "a column that is not there fails",
      params: { csvConfig: { columns: [{ header: "none", outputPort: "x" }] } },
      ports: { text: CSV },
    },
  ],
  "enumerate/data_rows": [
    { name: "rows of CSV", table: table("a.csv", "text/csv", CSV) },
    {
      name: "columns of NDJSON",
      params: {
        rowMapping: {
          columns: [
            { sourceColumn: "name", outputPort: "title", outputType: "text" },
            { outputPort: "double", outputType: "number", isComputed: true, formula: "price * 2" },
          ],
        },
      },
      table: table("a.ndjson", "application/x-ndjson", LINES),
    },
    { name: "a value that is not a dataset fails", ports: { dataset: { a: 1 } } },
  ],
  "input/csv": [
    { name: "rows", value: table("a.csv", "text/csv", CSV) },
    { name: "columns", params: { csvConfig }, value: table("a.csv", "text/csv", CSV) },
    { name: "a text is rejected", value: CSV },
  ],
  "input/data": [
    { name: "CSV", value: table("a.csv", "text/csv", CSV) },
    {
      name: "CSV of another locale",
      params: { locale: "de-DE" },
      value: table("a.csv", "text/csv", "a;b\n1.234,50;ja\n2,5;nein\n"),
    },
    {
      name: "a table in JSON",
      params: { table: "$.orders" },
      value: table(
        "a.json",
        "application/json",
        '{"orders":[{"id":1,"at":"2026-01-01"},{"id":2}]}',
      ),
    },
    { name: "NDJSON", value: table("a.ndjson", "application/x-ndjson", LINES) },
    {
      name: "a file without rows fails",
      params: { emptyBehavior: "fail" },
      value: table("a.csv", "text/csv", "a,b\n"),
    },
  ],
};
