/**
 * Every limit that a caller can meet, once: code takes the value from here, and `/docs/limits` and
 * `docs/limits.md` are written from it. To add one, add its row, and use `LIMITS.<name>.value` where
 * it is held to. Limits of plans are not here: each plan names its own (`contracts/plan.ts`).
 */
export interface Limit {
  /** What is limited, in the words of a table's row. */
  readonly name: string;
  readonly value: number;
  readonly unit: "bytes" | "characters" | "count" | "digits" | "milliseconds";
  /** Why it is there, and why so much. */
  readonly reason: string;
  /** The heading it stands under. */
  readonly group:
    | "Requests"
    | "Files and uploads"
    | "Fonts"
    | "Datasets and bundles"
    | "Workflows"
    | "Expressions"
    | "Runs"
    | "Webhooks";
}

const KB = 1024;
const MB = 1024 * KB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const TABLE = {
  json_body: {
    name: "JSON body",
    value: 4 * MB,
    unit: "bytes",
    reason: "A body is parsed whole in memory. Larger data is uploaded as an asset.",
    group: "Requests",
  },
  json_depth: {
    name: "Nesting of a JSON body",
    value: 100,
    unit: "count",
    reason:
      "Deeper than any definition or manifest, and far below where a parser runs out of stack.",
    group: "Requests",
  },
  form_fields: {
    name: "Body of a token request",
    value: 16 * KB,
    unit: "bytes",
    reason: "It has two short fields.",
    group: "Requests",
  },
  problems_reported: {
    name: "Problems in `errors[]` of a response",
    value: 100,
    unit: "count",
    reason: "More problems do not help to fix a request, and the response stays small.",
    group: "Requests",
  },
  page_items: {
    name: "Items on a page of a list (`limit`)",
    value: 100,
    unit: "count",
    reason: "A page is one short read.",
    group: "Requests",
  },
  cursor: {
    name: "Cursor (`starting_after`)",
    value: 1024,
    unit: "characters",
    reason: "Longer than any cursor of this service.",
    group: "Requests",
  },
  idempotency_key_shortest: {
    name: "`Idempotency-Key`, at least",
    value: 8,
    unit: "characters",
    reason: "A shorter random key may occur twice.",
    group: "Requests",
  },
  idempotency_key_longest: {
    name: "`Idempotency-Key`, at most",
    value: 255,
    unit: "characters",
    reason: "Room for a UUID with a prefix of your own.",
    group: "Requests",
  },
  idempotency_kept: {
    name: "Lifetime of an `Idempotency-Key`",
    value: 24 * HOUR,
    unit: "milliseconds",
    reason: "Longer than any client retries.",
    group: "Requests",
  },
  wait: {
    name: "`Prefer: wait=N`",
    value: 60 * SECOND,
    unit: "milliseconds",
    reason: "Proxies end requests that are silent for longer.",
    group: "Requests",
  },
  body_idle: {
    name: "Pause between two pieces of a body",
    value: 30 * SECOND,
    unit: "milliseconds",
    reason: "A client that is silent for longer has disconnected.",
    group: "Requests",
  },
  access_token: {
    name: "Lifetime of an access token",
    value: HOUR,
    unit: "milliseconds",
    reason: "Short enough that a leaked token is soon worthless.",
    group: "Requests",
  },
  name: {
    name: "Name of a workflow, folder, key, font or webhook endpoint",
    value: 200,
    unit: "characters",
    reason: "Lists show names whole.",
    group: "Requests",
  },
  file: {
    name: "File: upload, import, single-put session",
    value: 250 * MB,
    unit: "bytes",
    reason: "250 MB, the most that one file of a run may have.",
    group: "Files and uploads",
  },
  upload_part: {
    name: "Part of a multipart session",
    value: 8 * MB,
    unit: "bytes",
    reason: "An interrupted part is sent again in seconds.",
    group: "Files and uploads",
  },
  upload_parts: {
    name: "Parts of a multipart session",
    value: 10_000,
    unit: "count",
    reason: "The store accepts no more.",
    group: "Files and uploads",
  },
  upload_single_put: {
    name: "File that `upload_mode: auto` sends in one PUT",
    value: 16 * MB,
    unit: "bytes",
    reason: "For smaller files, parts cost more requests than they save.",
    group: "Files and uploads",
  },
  upload_address: {
    name: "Lifetime of an `upload_url`",
    value: 15 * MINUTE,
    unit: "milliseconds",
    reason: "It is used at once; a fresh one is one request away.",
    group: "Files and uploads",
  },
  upload_session: {
    name: "Lifetime of an upload session",
    value: 24 * HOUR,
    unit: "milliseconds",
    reason: "Its share of the quota is released after a day.",
    group: "Files and uploads",
  },
  upload_parts_signed: {
    name: "Parts of one `parts:sign` request",
    value: 1_000,
    unit: "count",
    reason: "Their addresses live for minutes: sign those that are sent next.",
    group: "Files and uploads",
  },
  import_answer: {
    name: "Wait for the response of an import's address",
    value: 10 * SECOND,
    unit: "milliseconds",
    reason: "Redirects included.",
    group: "Files and uploads",
  },
  import_total: {
    name: "Time of an import",
    value: 120 * SECOND,
    unit: "milliseconds",
    reason: "250 MB at 2 MB/s.",
    group: "Files and uploads",
  },
  import_redirects: {
    name: "Redirects of an address",
    value: 5,
    unit: "count",
    reason: "Each is checked like the first address.",
    group: "Files and uploads",
  },
  private_address: {
    name: "Lifetime of a signed file address",
    value: HOUR,
    unit: "milliseconds",
    reason: "With `FILE_ACCESS=private` only.",
    group: "Files and uploads",
  },
  archive: {
    name: "Archive of a ZIP export",
    value: 2_000_000_000,
    unit: "bytes",
    reason: "Every unzip program opens it; larger exports have several archives.",
    group: "Files and uploads",
  },
  archive_files: {
    name: "Files of one archive",
    value: 65_000,
    unit: "count",
    reason: "A ZIP without extensions counts to 65,535.",
    group: "Files and uploads",
  },
  font_file: {
    name: "Font file",
    value: 20 * MB,
    unit: "bytes",
    reason: "Fonts are checked glyph by glyph in memory.",
    group: "Fonts",
  },
  font_family: {
    name: "Font family, all files",
    value: 60 * MB,
    unit: "bytes",
    reason: "A revision is uploaded whole.",
    group: "Fonts",
  },
  font_files: {
    name: "Files of a font family",
    value: 50,
    unit: "count",
    reason: "Nine weights in two styles and room to spare.",
    group: "Fonts",
  },
  dataset_rows: {
    name: "Rows of a dataset",
    value: 1_000_000,
    unit: "count",
    reason: "The number that an inspection can count within its time.",
    group: "Datasets and bundles",
  },
  dataset_sample: {
    name: "Rows of an inspection's sample",
    value: 100,
    unit: "count",
    reason: "Enough to recognize the content of a column.",
    group: "Datasets and bundles",
  },
  bundle_assets: {
    name: "Assets of a bundle",
    value: 1_000,
    unit: "count",
    reason: "Each is looked up, and read once where its checksum is asked for.",
    group: "Datasets and bundles",
  },
  definition: {
    name: "Definition of a workflow",
    value: MB,
    unit: "bytes",
    reason: "It is compiled in memory.",
    group: "Workflows",
  },
  nodes: {
    name: "Nodes of a definition",
    value: 500,
    unit: "count",
    reason: "Compiled and checked within a request.",
    group: "Workflows",
  },
  connections: {
    name: "Connections of a definition",
    value: 2_000,
    unit: "count",
    reason: "Compiled and checked within a request.",
    group: "Workflows",
  },
  folders: {
    name: "Folders of a workspace",
    value: 5_000,
    unit: "count",
    reason: "Every list of folders contains all of them.",
    group: "Workflows",
  },
  folder_depth: {
    name: "Depth of folders",
    value: 20,
    unit: "count",
    reason: "Paths stay readable.",
    group: "Workflows",
  },
  expression: {
    name: "Number formula or text formula",
    value: 10_000,
    unit: "characters",
    reason: "Parsed at each publish.",
    group: "Expressions",
  },
  expression_digits: {
    name: "Significant digits of a calculated number",
    value: 34,
    unit: "digits",
    reason: "Those of IEEE 754 decimal128.",
    group: "Expressions",
  },
  json_path: {
    name: "JSON path",
    value: 1_000,
    unit: "characters",
    reason: "Longer than paths that people write.",
    group: "Expressions",
  },
  pattern: {
    name: "Regular expression",
    value: 1_000,
    unit: "characters",
    reason: "Matched in linear time, with memory that grows with its length.",
    group: "Expressions",
  },
  json_schema: {
    name: "JSON Schema",
    value: 200_000,
    unit: "characters",
    reason: "Compiled at each publish.",
    group: "Expressions",
  },
  iterations: {
    name: "Iterations of one node",
    value: 10_000,
    unit: "count",
    reason: "A run's rows stay within one object.",
    group: "Runs",
  },
  value: {
    name: "One value",
    value: 16 * MB,
    unit: "bytes",
    reason: "It is held in memory beside others.",
    group: "Runs",
  },
  value_inline: {
    name: "Value that is stored in a row and sent inline",
    value: 64 * KB,
    unit: "bytes",
    reason: "Larger values are files.",
    group: "Runs",
  },
  value_resolved: {
    name: "Text or JSON value that a result resolves",
    value: MB,
    unit: "bytes",
    reason: "Larger values are sent as an address.",
    group: "Runs",
  },
  result_values: {
    name: "Values of one result body",
    value: 4 * MB,
    unit: "bytes",
    reason: "Values are sent in the order of keys; the rest are addresses.",
    group: "Runs",
  },
  attempts: {
    name: "Attempts of one task",
    value: 4,
    unit: "count",
    reason: "One, and three retries after transient faults.",
    group: "Runs",
  },
  webhook_timeout: {
    name: "Wait for a receiver's response",
    value: 15 * SECOND,
    unit: "milliseconds",
    reason: "A receiver should respond first and work later.",
    group: "Webhooks",
  },
  webhook_deadline: {
    name: "Period in which a delivery is retried",
    value: 24 * HOUR,
    unit: "milliseconds",
    reason: "A receiver that is down for a night misses no event.",
    group: "Webhooks",
  },
  webhook_event: {
    name: "Completion event",
    value: 20 * KB,
    unit: "bytes",
    reason: "Outputs beyond it are left out, and `outputs_truncated` is true.",
    group: "Webhooks",
  },
  webhook_secret_overlap: {
    name: "Overlap of two signing secrets",
    value: 24 * HOUR,
    unit: "milliseconds",
    reason: "Time to deploy the new one.",
    group: "Webhooks",
  },
  webhook_workflows: {
    name: "Workflows that one endpoint selects",
    value: 500,
    unit: "count",
    reason: "Matched at the end of every run.",
    group: "Webhooks",
  },
} as const satisfies Readonly<Record<string, Limit>>;

export type LimitName = keyof typeof TABLE;

export const LIMITS: Readonly<Record<LimitName, Limit>> = TABLE;
