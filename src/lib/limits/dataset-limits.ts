import type { Limits } from "./limit.ts";

const KB = 1024;
const MB = 1024 * 1024;

/** Datasets and bundles: a part of the table of limits. */
export const DATASET_LIMITS = {
  dataset_rows: {
    name: "Rows of a dataset",
    value: 1_000_000,
    unit: "count",
    reason: "The number that an inspection can count within its time.",
  },
  dataset_sample: {
    name: "Rows of an inspection's sample",
    value: 100,
    unit: "count",
    reason: "Enough to recognize the content of a column.",
  },
  bundle_assets: {
    name: "Assets of a bundle",
    value: 1_000,
    unit: "count",
    reason: "Each asset is looked up, and read once if its checksum is requested.",
  },
  csv_row: {
    name: "Row of a CSV file",
    value: 1024 * KB,
    unit: "characters",
    reason: "A quotation mark that is never closed must not load the file into memory.",
  },
  columns: {
    name: "Columns of a dataset",
    value: 16_384,
    unit: "count",
    reason: "The same as the columns of a worksheet.",
  },
  json_element: {
    name: "Element of a JSON array, or line of NDJSON",
    value: 4 * MB,
    unit: "bytes",
    reason: "It is held whole while it is parsed.",
  },
  json_dataset_depth: {
    name: "Nesting of a JSON dataset",
    value: 128,
    unit: "count",
    reason: "No table is deeper.",
  },
  json_key: {
    name: "Key of a JSON dataset",
    value: 16 * KB,
    unit: "bytes",
    reason: "Keys are column names.",
  },
  dataset_option: {
    name: "Path, table or delimiter given for a dataset",
    value: 1_000,
    unit: "characters",
    reason: "Longer than paths that people write.",
  },
  locale: {
    name: "Language tag of a number format",
    value: 100,
    unit: "characters",
    reason: "Longer than any registered tag.",
  },
  workbook_file: {
    name: "XLSX file",
    value: 64 * MB,
    unit: "bytes",
    reason: "Its directory and its shared strings are held in memory.",
  },
  workbook_expanded: {
    name: "XLSX file, expanded",
    value: 512 * MB,
    unit: "bytes",
    reason: "Read within the time of an inspection.",
  },
  workbook_ratio: {
    name: "Compression ratio of an entry of an XLSX file, beyond its first 10 MiB",
    value: 100,
    unit: "count",
    reason: "Entries that expand further are made to exhaust memory.",
  },
  workbook_ratio_free: {
    name: "Part of an entry for which no ratio is checked",
    value: 10 * MB,
    unit: "bytes",
    reason: "Small entries compress well.",
  },
  workbook_entries: {
    name: "Entries of an XLSX file",
    value: 10_000,
    unit: "count",
    reason: "Each is looked at once.",
  },
  workbook_sheets: {
    name: "Sheets of a workbook",
    value: 2_000,
    unit: "count",
    reason: "Each is listed by an inspection.",
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
    reason: "They are in memory all at once.",
  },
  workbook_xml_depth: {
    name: "Nesting of a part of a workbook",
    value: 64,
    unit: "count",
    reason: "More than any part needs.",
  },
  workbook_xml_token: {
    name: "Text, tag or comment of a part of a workbook",
    value: 1024 * KB,
    unit: "characters",
    reason: "A cell holds 32,767 characters.",
  },
  workbook_xml_attributes: {
    name: "Attributes of an element of a workbook",
    value: 1_000,
    unit: "count",
    reason: "More than any element has.",
  },
  bundle_path: {
    name: "Path of a file within a bundle",
    value: 512,
    unit: "bytes",
    reason: "Longer paths cannot be unpacked everywhere.",
  },
  bundle_path_given: {
    name: "Path in a manifest before it is checked",
    value: 2_000,
    unit: "characters",
    reason: "Longer paths are refused without being parsed.",
  },
  bundle_file_name: {
    name: "Path or name of an asset in a request for a manifest",
    value: 1_000,
    unit: "characters",
    reason: "Longer than paths that people write.",
  },
  quality_checks: {
    name: "Checks that a quality policy names",
    value: 500,
    unit: "count",
    reason: "Each is looked up for each asset.",
  },
} as const satisfies Limits;
