import type { Limits } from "./limit.ts";

const KB = 1024;
const MB = 1024 * 1024;

/** Datasets and bundles: a part of the table of limits. */
export const DATASET_LIMITS = {
  dataset_rows: {
    name: "Rows of a dataset",
    value: 1_000_000,
    unit: "count",
    reason: "An inspection can count this many rows within its time.",
  },
  dataset_sample: {
    name: "Rows of an inspection's sample",
    value: 100,
    unit: "count",
    reason: "A hundred rows show what a column contains.",
  },
  bundle_assets: {
    name: "Assets of a bundle",
    value: 1_000,
    unit: "count",
    reason: "Each asset is looked up within one request, and read if its checksum is requested.",
  },
  csv_row: {
    name: "Row of a CSV file",
    value: 1024 * KB,
    unit: "characters",
    reason:
      "Rows in use are far shorter, and a quotation mark that is never closed must not load the file into memory.",
  },
  columns: {
    name: "Columns of a dataset",
    value: 16_384,
    unit: "count",
    reason: "A worksheet has at most as many columns.",
  },
  json_element: {
    name: "Element of a JSON array, or line of NDJSON",
    value: 4 * MB,
    unit: "bytes",
    reason: "Each element becomes one row, and is held in memory whole while it is parsed.",
  },
  json_dataset_depth: {
    name: "Nesting of a JSON dataset",
    value: 128,
    unit: "count",
    reason: "Tables are never deeper, and the stack is limited.",
  },
  json_key: {
    name: "Key of a JSON dataset",
    value: 16 * KB,
    unit: "bytes",
    reason: "Keys become names of columns, which are far shorter.",
  },
  dataset_table: {
    name: "Table given for a dataset: a JSON path, or the name of a sheet",
    value: 1_000,
    unit: "characters",
    reason: "Paths and names that people write are shorter.",
  },
  locale: {
    name: "Language tag of a number format",
    value: 100,
    unit: "characters",
    reason: "Every registered language tag is shorter.",
  },
  workbook_file: {
    name: "XLSX file",
    value: 64 * MB,
    unit: "bytes",
    reason:
      "The directory and the shared strings are held in memory, of which a task that reads a workbook may use 64 MiB.",
  },
  workbook_expanded: {
    name: "XLSX file, expanded",
    value: 512 * MB,
    unit: "bytes",
    reason: "An inspection can read this much within its time.",
  },
  workbook_ratio: {
    name: "Compression ratio of an entry of an XLSX file, beyond its first 10 MiB",
    value: 100,
    unit: "count",
    reason:
      "Entries of workbooks in use expand less; those that expand further are made to exhaust memory.",
  },
  workbook_ratio_free: {
    name: "Part of an entry for which no ratio is checked",
    value: 10 * MB,
    unit: "bytes",
    reason: "Short entries of equal cells may expand further, and 10 MiB exhaust nothing.",
  },
  workbook_entries: {
    name: "Entries of an XLSX file",
    value: 10_000,
    unit: "count",
    reason: "A workbook has a few entries for each of its worksheets, of which it may have 2,000.",
  },
  workbook_sheets: {
    name: "Sheets of a workbook",
    value: 2_000,
    unit: "count",
    reason: "An inspection lists every worksheet in one response.",
  },
  workbook_styles: {
    name: "Cell formats of a workbook",
    value: 100_000,
    unit: "count",
    reason: "Spreadsheet programs stop at about 65,000.",
  },
  workbook_strings: {
    name: "Shared strings of a workbook",
    value: 48 * MB,
    unit: "bytes",
    reason:
      "All of them are in memory at once, within the 64 MiB that a task may use to read a workbook.",
  },
  workbook_xml_depth: {
    name: "Nesting of a part of a workbook",
    value: 64,
    unit: "count",
    reason: "No part that spreadsheet programs write is nested as deep.",
  },
  workbook_xml_token: {
    name: "Text, tag or comment of a part of a workbook",
    value: 1024 * KB,
    unit: "characters",
    reason: "A cell holds at most 32,767 characters, which escapes make several times longer.",
  },
  workbook_xml_attributes: {
    name: "Attributes of an element of a workbook",
    value: 1_000,
    unit: "count",
    reason: "No element that spreadsheet programs write has as many.",
  },
  bundle_path: {
    name: "Path of a file within a bundle",
    value: 512,
    unit: "bytes",
    reason: "Some systems cannot unpack files with longer paths.",
  },
  bundle_path_given: {
    name: "Path in a manifest before it is checked",
    value: 2_000,
    unit: "characters",
    reason: "Accepted paths have at most 512 bytes; a longer text is refused before it is checked.",
  },
  quality_checks: {
    name: "Checks that a quality policy names",
    value: 500,
    unit: "count",
    reason: "Each check is looked up for each asset of a manifest, of which there may be 1,000.",
  },
} as const satisfies Limits;
