/**
 * Every public code, from the tables that define the types of the codes: problems, failures of
 * runs, warnings, and issues of definitions. One code may be of several kinds. Only `scripts/` and tests import this
 * module: the pages that show its texts are assets of the deployment, not part of a Worker.
 */
import { BATCH_STOPS, type BatchStop } from "../../contracts/batches/batch-states.ts";
import { ISSUE_SUGGESTIONS, type IssueCode } from "../../contracts/workflows/definition-issue.ts";
import { ERROR_GUIDES } from "../../lib/errors/error-guides.ts";
import { type ErrorCode, ERRORS } from "../../lib/errors/errors.ts";
import { NODE_ERROR_FIXES } from "../../lib/errors/node-error-fixes.ts";
import { NODE_ERRORS, type NodeErrorCode } from "../../lib/errors/node-error-guides.ts";
import { type WarningCode, WARNINGS } from "../../lib/errors/warning-guides.ts";
import { type ListedCode, type Topic, TOPICS } from "./listed-code.ts";

const PROBLEM_TOPICS: Readonly<Partial<Record<ErrorCode, Topic>>> = {
  invalid_client: "access",
  unauthorized: "access",
  forbidden: "access",
  insufficient_scope: "access",
  api_key_required: "access",
  execution_cap_exceeded: "access",
  invalid_jti: "access",
  unsupported_grant_type: "access",
  too_many_requests: "access",
  rate_limited: "access",
  insufficient_credits: "money",
  plan_limit_exceeded: "money",
  quota_exceeded: "files",
  invalid_file: "files",
  invalid_file_type: "files",
  invalid_content: "files",
  content_mismatch: "files",
  unsupported_type: "files",
  invalid_size: "files",
  invalid_url: "files",
  fetch_failed: "files",
  file_not_uploaded: "files",
  file_too_large: "files",
  source_changed: "files",
  upload_expired: "files",
  window_closing: "files",
  range_not_satisfiable: "files",
  feature_disabled: "files",
  invalid_options: "bundles",
  unsupported_format: "datasets",
  ambiguous_table: "datasets",
  duplicate_column: "datasets",
  invalid_data: "datasets",
  row_limit_exceeded: "datasets",
  workflow_not_published: "runs",
  workflow_not_found: "runs",
  version_not_available: "runs",
  invalid_version: "runs",
  executions_in_progress: "runs",
  already_terminal: "runs",
  no_failed_items: "runs",
  not_completed: "runs",
  outputs_expired: "runs",
  verification_required: "webhooks",
  delivery_not_retryable: "webhooks",
  endpoint_limit_reached: "webhooks",
  invalid_revision: "templates",
  invalid_sample_set_id: "templates",
  invalid_argument: "templates",
  design_page_selection_invalid: "templates",
  page_not_found: "templates",
  master_not_found: "templates",
  sample_set_not_found: "templates",
  archived: "templates",
  share_link_closed: "templates",
  render_too_large: "templates",
  content_invalid: "templates",
  publish_not_ready: "templates",
  preview_failed: "templates",
  render_failed: "templates",
  design_render_busy: "templates",
  internal_error: "service",
  service_unavailable: "service",
};

const NODE_TOPICS: readonly (readonly [RegExp, Topic])[] = [
  [/^(?:TEMPLATE|COLOR_PROFILE|RENDER|PAGE_SELECTION)_/, "templates"],
  [/^(?:TEXT|LIST)_OVERFLOW$|^IMAGE_FAILED$|_REQUIRED_FIELD$|_FIELD_VALUE$/, "templates"],
  [/^(?:ADMISSION|ITERATION|INSUFFICIENT)_/, "money"],
  [/^BUNDLE_/, "bundles"],
  [/^(?:AMBIGUOUS_TABLE|COLUMN|DATASET|DUPLICATE_COLUMN|INVALID_DATA|ROW)/, "datasets"],
  [/^(?:SOURCE_CHANGED|UNSUPPORTED_FORMAT|VALIDATION_ERROR)/, "datasets"],
  [/^(?:CELLS|CSV|XLSX|ROWS)_/, "datasets"],
  [/^(?:AUDIO|CONCAT|DUBBING|FIT|SEGMENT|SUBTITLES|TIMELINE|VIDEO)_/, "sound"],
  [/^MEDIA_(?:CODEC|EMPTY|ENCRYPTED|PARAMETERS|TOO_LONG|TRUNCATED|UNREADABLE)/, "sound"],
  [/^(?:CODE|IMAGE|MEDIA|SVG)_/, "media"],
  [/^(?:FILE_|TOO_MANY_FILES|STORAGE_)/, "files"],
  [/^(?:CALC|FORMULA|JSON|NUMBER|TYPE|VALUE|QUALITY|ENUMERATE|SCHEMA|TEXT)_/, "values"],
  [/^INVALID_(?:SCHEMA|QUALITY_CHECK)/, "values"],
];

function topicOfProblem(code: ErrorCode): Topic {
  return PROBLEM_TOPICS[code] ?? (code.startsWith("FONT_") ? "fonts" : "requests");
}

function topicOfRun(code: NodeErrorCode | WarningCode): Topic {
  return NODE_TOPICS.find(([pattern]) => pattern.test(code))?.[1] ?? "runs";
}

/** Every code, by topic, then by name, then by kind. */
export function listCodes(): readonly ListedCode[] {
  const listed: ListedCode[] = [
    ...(Object.keys(ERRORS) as ErrorCode[]).map((code): ListedCode => ({
      code,
      kind: "problem",
      topic: topicOfProblem(code),
      ...ERROR_GUIDES[code],
      problem: ERRORS[code],
    })),
    ...(Object.keys(NODE_ERRORS) as NodeErrorCode[]).map((code): ListedCode => ({
      code,
      kind: "run",
      topic: topicOfRun(code),
      cause: NODE_ERRORS[code],
      remedy: NODE_ERROR_FIXES[code],
    })),
    ...BATCH_STOPS.map((code): ListedCode => ({
      code,
      kind: "batch",
      topic: "runs",
      ...BATCH_STOP_GUIDES[code],
    })),
    ...(Object.keys(WARNINGS) as WarningCode[]).map((code): ListedCode => ({
      code,
      kind: "warning",
      topic: topicOfRun(code),
      ...WARNINGS[code],
    })),
    ...(Object.keys(ISSUE_SUGGESTIONS) as IssueCode[]).map((code): ListedCode => ({
      code,
      kind: "definition issue",
      topic: "definitions",
      cause: ISSUE_CAUSES[code],
      remedy: ISSUE_SUGGESTIONS[code],
    })),
  ];
  const order = Object.keys(TOPICS);
  return listed.toSorted(
    (a, b) =>
      order.indexOf(a.topic) - order.indexOf(b.topic) ||
      a.code.localeCompare(b.code) ||
      a.kind.localeCompare(b.kind),
  );
}

const BATCH_STOP_GUIDES: Readonly<Record<BatchStop, { cause: string; remedy: string }>> = {
  BATCH_FAILURE_LIMIT: {
    cause:
      "More items of a batch failed than its `max_failed_items` allows, so those that waited were cancelled.",
    remedy:
      "Look at the failed items, fix the workflow or its inputs, and retry the batch: its failures are counted from zero again.",
  },
  BATCH_CREDIT_LIMIT: {
    cause:
      "The next item of a batch could have cost more than was left of its `max_total_milli_credits`, so those that waited were cancelled.",
    remedy:
      "Create a batch of the rest with a higher limit, or bound each run with `admission_limits`.",
  },
};

const ISSUE_CAUSES: Readonly<Record<IssueCode, string>> = {
  AGGREGATE_INPUT_VARIES:
    "An input that an aggregator reads once for each result varies over the items that it aggregates.",
  AI_INPUT_MISSING:
    "None of the inputs that say what to change is connected, and no preset is set.",
  CACHE_NO_EFFECT: "A node has a `cache`, and results of its type are never cached. A warning.",
  CALC_UNCONNECTED_VARIABLE: "Nothing is connected to a variable of an expression.",
  CONNECTION_COUNT: "A list port has fewer or more connections than it accepts.",
  CONNECTION_TYPE_MISMATCH: "An output is connected to a port that does not accept its type.",
  CONTROL_OUT_OF_RANGE: "A control of a voice has a value that the model does not accept.",
  CONTROL_UNSUPPORTED: "A control is connected that the model's voice does not have.",
  CYCLE: "The nodes form a cycle.",
  DEFINITION_TOO_LARGE: "The definition has more nodes or connections than are allowed.",
  DUPLICATE_KEY: "Two output nodes have the same `key`.",
  DUPLICATE_NODE_ID: "Two nodes have the same id.",
  INTERFACE_DUPLICATE_ID: "Two custom interfaces have the same id.",
  INTERFACE_DUPLICATE_KEY: "Two entries of an interface have the same key.",
  INTERFACE_DUPLICATE_TARGET: "Two entries of an interface have the same target.",
  INTERFACE_ENUM_WITHOUT_VALUES: "An `enum` field has no values.",
  INTERFACE_FIELD_IS_NEEDED: "A field is optional, and its target needs a value.",
  INTERFACE_INVALID_CONSTRAINTS: "The constraints of a field contradict each other.",
  INTERFACE_INVALID_DEFAULT: "The default of a field is not a value that the field accepts.",
  INTERFACE_INVALID_ID: "The id of a custom interface is malformed.",
  INTERFACE_NOT_AN_INPUT: "A field is bound to a node that is not an input.",
  INTERFACE_PARAMETER_NOT_EXPOSABLE: "A field is bound to a parameter that is not exposable.",
  INTERFACE_REQUIRED_INPUT_UNBOUND: "A required input without a default is bound to no field.",
  INTERFACE_TWO_DEFAULTS: "Two custom interfaces are marked as the default.",
  INTERFACE_TYPE_MISMATCH: "The type of a field does not fit its target.",
  INTERFACE_UNKNOWN_NODE: "A field is bound to a node that the definition does not have.",
  INTERFACE_UNKNOWN_OUTPUT: "An output of an interface refers to a node that is not an output.",
  INTERFACE_VALUE_NOT_ALLOWED: "A field allows values that its parameter does not accept.",
  INVALID_FIELD: "A member of the definition has a value of the wrong type or form.",
  INVALID_MODEL_PARAMETER: "A value of `model_parameters` does not fit the model.",
  INVALID_PARAMETER: "A parameter of a node has a value that it does not accept.",
  INVALID_SCHEMA: "A JSON Schema among the parameters cannot be used.",
  INVALID_TEXT:
    "A text of the definition contains an unpaired surrogate, which is half of a character.",
  MERGE_PDF_ITERATED: "An input of utility/merge_pdf has a value for each item of an iteration.",
  MERGE_SCOPE_MISMATCH: "The inputs of a merge vary over different iterations.",
  MODEL_NOT_AVAILABLE: "The workspace has no model of the name, or none for what the node does.",
  MODEL_NOT_SUPPORTED: "The model cannot do what the node asks of it.",
  NO_OUTPUT: "The definition has no output node, so a run of it would return nothing.",
  PORT_ALREADY_CONNECTED: "An input port that accepts one connection has two.",
  PORT_NOT_CONNECTED: "A required input port has no connection.",
  REFERENCE_NOT_FOUND: "A parameter refers to something that the workspace does not have.",
  REQUIRED_FIELD: "A member of the definition is missing.",
  SCHEMA_OPERATION_LIMIT: "Checking a default against its schema takes too many operations.",
  TEXT_TEMPLATE_MISSING_TEMPLATE: "A text template has no template, and none is connected.",
  TIMELINE_SCOPE_MISMATCH:
    "The columns of a timeline do not vary over the same items, or its duration varies over them.",
  UNKNOWN_FIELD: "The definition has an unknown member.",
  UNKNOWN_EFFECT: "There is no effect of the code.",
  UNKNOWN_NODE: "A connection refers to a node that the definition does not have.",
  UNKNOWN_NODE_TYPE: "The type of a node is unknown.",
  UNKNOWN_PRESET: "There is no preset of the code in the node's category.",
  UNKNOWN_VOICE: "The model does not have the voice.",
  UNUSED_NODE: "Nothing uses what a node produces.",
  internal_template_parameter: "A template node has a parameter that only the service sets.",
  invalid_dynamic_config: "A parameter that defines the ports of a node is invalid.",
  invalid_template_id: "The `template_id` of a node is not the id of a template.",
  invalid_template_revision: "The `template_revision` of a node is not a positive number.",
  missing_template_id: "A template node names no template.",
  template_field_not_connected:
    "Nothing is connected to a required field of a template, and it has no default.",
  template_not_found: "The workspace has no such template, or it is not published.",
  template_pin_failed:
    "The template's revision is not the one that was pinned, or its document cannot be read.",
  template_revision_not_found: "The template does not have the revision that a node names.",
  unknown_port: "A connection refers to a port that the node does not have.",
};
