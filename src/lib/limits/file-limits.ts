import type { Limits } from "./limit.ts";

const KB = 1024;
const MB = 1024 * 1024;
const SECOND = 1000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

/** Files and uploads: a part of the table of limits. */
export const FILE_LIMITS = {
  file: {
    name: "File: upload, import, single-put session",
    value: 250 * MB,
    unit: "bytes",
    reason: "250 MB, the most that one file of a run may have.",
  },
  upload_part: {
    name: "Part of a multipart session",
    value: 8 * MB,
    unit: "bytes",
    reason: "An interrupted part is sent again in seconds.",
  },
  upload_parts: {
    name: "Parts of a multipart session",
    value: 10_000,
    unit: "count",
    reason: "The store accepts no more.",
  },
  upload_single_put: {
    name: "File that `upload_mode: auto` sends in one PUT",
    value: 16 * MB,
    unit: "bytes",
    reason: "For smaller files, parts cost more requests than they save.",
  },
  upload_address: {
    name: "Lifetime of an `upload_url`",
    value: 15 * MINUTE,
    unit: "milliseconds",
    reason: "It is used at once; a fresh one is one request away.",
  },
  upload_session: {
    name: "Lifetime of an upload session",
    value: 24 * HOUR,
    unit: "milliseconds",
    reason: "Its share of the quota is released after a day.",
  },
  upload_parts_signed: {
    name: "Parts of one `parts:sign` request",
    value: 1_000,
    unit: "count",
    reason: "Their addresses expire after minutes: sign the parts that are sent next.",
  },
  import_answer: {
    name: "Wait for the response of an import's address",
    value: 10 * SECOND,
    unit: "milliseconds",
    reason: "Redirects included.",
  },
  import_total: {
    name: "Time of an import",
    value: 120 * SECOND,
    unit: "milliseconds",
    reason: "250 MB at 2 MB/s.",
  },
  import_redirects: {
    name: "Redirects of an address",
    value: 5,
    unit: "count",
    reason: "Each is checked like the first address.",
  },
  private_address: {
    name: "Lifetime of a signed file address",
    value: HOUR,
    unit: "milliseconds",
    reason: "With `FILE_ACCESS=private` only.",
  },
  archive: {
    name: "Archive of a ZIP export",
    value: 2_000_000_000,
    unit: "bytes",
    reason: "Every unzip program opens it; larger exports have several archives.",
  },
  archive_files: {
    name: "Files of one archive",
    value: 65_000,
    unit: "count",
    reason: "A ZIP archive without extensions can have 65,535.",
  },
  asset_path: {
    name: "Path or prefix of an asset in a request, or a given file name",
    value: 1_024,
    unit: "characters",
    reason: "The longest key of the store.",
  },
  asset_name: {
    name: "Part of a name by which assets are searched",
    value: 255,
    unit: "characters",
    reason: "No file name is longer.",
  },
  signature: {
    name: "Signature of an upload address",
    value: 100,
    unit: "characters",
    reason: "Longer than any signature of this service.",
  },
  form_extra_fields: {
    name: "Fields of a form other than its files",
    value: 20,
    unit: "count",
    reason: "Forms of browsers may have some besides.",
  },
  form_extra_bytes: {
    name: "Those fields together",
    value: 64 * KB,
    unit: "bytes",
    reason: "They are held in memory.",
  },
  form_headers: {
    name: "Headers of one part of a form",
    value: 16 * KB,
    unit: "bytes",
    reason: "A file name and a type.",
  },
  svg_file: {
    name: "SVG that is stored or cleaned",
    value: 8 * MB,
    unit: "bytes",
    reason: "It is parsed whole. An SVG that is larger contains pictures.",
  },
  svg_elements: {
    name: "Elements of an SVG that is stored",
    value: 100_000,
    unit: "count",
    reason: "Counted while it is parsed.",
  },
  svg_depth: {
    name: "Nesting of an SVG that is stored",
    value: 200,
    unit: "count",
    reason: "The time of the parser grows with the depth.",
  },
} as const satisfies Limits;
