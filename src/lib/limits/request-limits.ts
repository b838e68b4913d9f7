import type { Limits } from "./limit.ts";

const KB = 1024;
const MB = 1024 * 1024;
const SECOND = 1000;
const HOUR = 3_600_000;

/** Requests: a part of the table of limits. */
export const REQUEST_LIMITS = {
  json_body: {
    name: "JSON body",
    value: 4 * MB,
    unit: "bytes",
    reason: "A body is parsed whole in memory. Larger data is uploaded as an asset.",
  },
  document_body: {
    name: "JSON body with a design document or an SVG drawing",
    value: 16 * MB,
    unit: "bytes",
    reason: "A document is validated whole in memory, and pictures are stored beside it.",
  },
  document_problems: {
    name: "Problems of a design document in `errors[]`",
    value: 1_000,
    unit: "count",
    reason: "A designer corrects all of them at once, and the response stays small.",
  },
  json_depth: {
    name: "Nesting of a JSON body",
    value: 100,
    unit: "count",
    reason:
      "Deeper than any definition or manifest, and far below where a parser runs out of stack.",
  },
  form_fields: {
    name: "Body of a token request",
    value: 16 * KB,
    unit: "bytes",
    reason: "It has two short fields.",
  },
  problems_reported: {
    name: "Problems in `errors[]` of a response",
    value: 100,
    unit: "count",
    reason: "More problems do not help to fix a request, and the response stays small.",
  },
  page_items: {
    name: "Items on a page of a list (`limit`)",
    value: 100,
    unit: "count",
    reason: "A page is one short read.",
  },
  cursor: {
    name: "Cursor (`starting_after`)",
    value: 1024,
    unit: "characters",
    reason: "Cursors of this service are shorter.",
  },
  idempotency_key_shortest: {
    name: "`Idempotency-Key`, at least",
    value: 8,
    unit: "characters",
    reason: "A shorter random key may occur twice.",
  },
  idempotency_key_longest: {
    name: "`Idempotency-Key`, at most",
    value: 255,
    unit: "characters",
    reason: "Room for a UUID with a prefix of your own.",
  },
  idempotency_kept: {
    name: "Lifetime of an `Idempotency-Key`",
    value: 24 * HOUR,
    unit: "milliseconds",
    reason: "Longer than any client retries.",
  },
  wait: {
    name: "`Prefer: wait=N`",
    value: 60 * SECOND,
    unit: "milliseconds",
    reason: "Proxies end requests that are silent for longer.",
  },
  body_idle: {
    name: "Pause between two pieces of a body",
    value: 30 * SECOND,
    unit: "milliseconds",
    reason: "A client that is silent for longer has disconnected.",
  },
  memory_wait: {
    name: "Wait of a large body for memory",
    value: 10 * SECOND,
    unit: "milliseconds",
    reason: "Then it is refused with 503 and `Retry-After`; bodies of less than 64 KiB never wait.",
  },
  access_token: {
    name: "Lifetime of an access token",
    value: HOUR,
    unit: "milliseconds",
    reason: "Short enough that a leaked token is soon worthless.",
  },
  name: {
    name: "Name of a workflow, folder, key, font or webhook endpoint",
    value: 200,
    unit: "characters",
    reason: "Lists show names whole.",
  },
  description: {
    name: "Description of an interface, a field, an input or a webhook endpoint",
    value: 2_000,
    unit: "characters",
    reason: "A description is a paragraph or two, which lists and forms show whole.",
  },
  filter_text: {
    name: "Text by which a list is filtered (`search`, `tag`, `category`, `event_type`)",
    value: 200,
    unit: "characters",
    reason: "Names have at most 200 characters.",
  },
  catalog_search: {
    name: "`search` of the node catalog",
    value: 500,
    unit: "characters",
    reason: "A sentence is enough: all of its words must match.",
  },
  identifier: {
    name: "Id, key or port name in a definition or a manifest",
    value: 200,
    unit: "characters",
    reason: "Ids are compared and repeated in every message about them.",
  },
  resource_id: {
    name: "Id of a folder or of an event in a request",
    value: 100,
    unit: "characters",
    reason: "Ids of this service are shorter.",
  },
  workflow_id: {
    name: "Workflow id in a webhook endpoint",
    value: 80,
    unit: "characters",
    reason: "Ids of workflows are shorter.",
  },
  url: {
    name: "Address to import from, or to use as an input",
    value: 2_048,
    unit: "characters",
    reason: "No useful address is longer.",
  },
  requests_of_files: {
    name: "Imports, and new upload sessions, of a workspace in a minute, each",
    value: 60,
    unit: "count",
    reason: "Each import opens connections, and each session reserves storage.",
  },
  scopes: {
    name: "Scopes or permissions of an API key",
    value: 50,
    unit: "count",
    reason: "There are fewer scopes and permissions.",
  },
  grant: {
    name: "Credits of one grant, in milli-credits",
    value: 1_000_000_000_000_000,
    unit: "count",
    reason: "Sums of grants are counted exactly below 2^53.",
  },
  monthly_credits: {
    name: "Credits of a plan in a month",
    value: 1_000_000_000_000,
    unit: "count",
    reason: "In milli-credits it stays below 2^53, up to which sums are exact.",
  },
} as const satisfies Limits;
