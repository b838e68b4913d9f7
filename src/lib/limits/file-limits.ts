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
    reason: "The largest file of a run has the same size.",
  },
  upload_part: {
    name: "Part of a multipart session",
    value: 8 * MB,
    unit: "bytes",
    reason: "A part that was interrupted is sent again within seconds.",
  },
  upload_parts: {
    name: "Parts of a multipart session",
    value: 10_000,
    unit: "count",
    reason: "The store accepts no more parts of one file.",
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
    reason: "The quota that an abandoned session reserves is free again after a day.",
  },
  upload_parts_signed: {
    name: "Parts of one `parts:sign` request",
    value: 1_000,
    unit: "count",
    reason: "Addresses expire after 15 minutes: sign the parts that you send next.",
  },
  import_answer: {
    name: "Wait for the response of an import's address",
    value: 10 * SECOND,
    unit: "milliseconds",
    reason:
      "A server that has not responded by then, redirects included, is treated as unreachable.",
  },
  import_total: {
    name: "Time of an import",
    value: 120 * SECOND,
    unit: "milliseconds",
    reason: "The largest file arrives in time at about 2 MB a second.",
  },
  import_redirects: {
    name: "Redirects of an address",
    value: 5,
    unit: "count",
    reason:
      "Addresses in use redirect once or twice, and each redirect is checked like the first address.",
  },
  private_address: {
    name: "Lifetime of a signed file address",
    value: HOUR,
    unit: "milliseconds",
    reason:
      "An hour is enough to download a file; the limit applies with `FILE_ACCESS=private` only.",
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
    name: "Path or prefix of an asset in a request or a definition, or a given file name",
    value: 1_024,
    unit: "characters",
    reason: "Keys of the store have at most 1,024 bytes.",
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
    reason: "Signatures of this service are shorter.",
  },
  form_extra_fields: {
    name: "Fields of a form other than its files",
    value: 20,
    unit: "count",
    reason: "Forms in browsers may send a few fields beside their files.",
  },
  form_extra_bytes: {
    name: "Fields of a form other than its files, together",
    value: 64 * KB,
    unit: "bytes",
    reason: "These fields are short texts, and are held in memory.",
  },
  form_headers: {
    name: "Headers of one part of a form",
    value: 16 * KB,
    unit: "bytes",
    reason: "The headers of a part are a file name and a type, and are held in memory.",
  },
  svg_file: {
    name: "SVG that is stored or cleaned",
    value: 8 * MB,
    unit: "bytes",
    reason: "It is parsed whole in memory, and an SVG that is larger contains pictures.",
  },
  svg_elements: {
    name: "Elements of an SVG that is stored",
    value: 100_000,
    unit: "count",
    reason: "Drawings in use have fewer elements, each of which takes the parser time.",
  },
  svg_depth: {
    name: "Nesting of an SVG that is stored",
    value: 200,
    unit: "count",
    reason: "The time that the parser needs for an element grows with its depth.",
  },
} as const satisfies Limits;
