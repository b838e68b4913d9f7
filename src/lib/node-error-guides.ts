/**
 * The trace's message for each code of a node's failure. It is a fixed sentence, because the
 * message of the node itself may quote an input (docs/contract/trace.md#never-shown). The node's
 * own message is in the execution's `error_message`.
 */
export const NODE_ERRORS = {
  ADMISSION_LIMIT_EXCEEDED: "The run's liability would exceed max_admitted_milli_credits.",
  AI_INPUT_MISSING: "None of the inputs that say what to change has a value.",
  AMBIGUOUS_TABLE: "The file contains several tables and none is selected.",
  AUDIO_UNREADABLE: "A sound could not be read.",
  BUNDLE_INVALID: "The bundle's manifest has entries that do not match the stored files.",
  BUNDLE_STORAGE_FORBIDDEN: "The bundle refers to a file of another workspace.",
  BUNDLE_STORAGE_MISSING: "The bundle refers to a file that is not stored.",
  CALC_DIVISION_BY_ZERO: "The expression divides by zero.",
  CALC_EMPTY_LIST: "A function of the expression was given an empty list.",
  CALC_MISSING_FIELD: "The expression refers to a field that its input does not have.",
  CALC_NOT_A_NUMBER: "The expression calculates with a value that is not a number.",
  CALC_OPERATION_LIMIT: "The expression takes more operations than one calculation may.",
  CALC_OVERFLOW: "A number of the calculation is out of range.",
  CALC_TYPE_MISMATCH: "The expression was given a value of another type than it needs.",
  CANCELLED: "The run was cancelled before this ended.",
  CODE_NOT_SCANNABLE: "The drawn code could not be read back.",
  CODE_TEXT_INVALID: "This kind of code cannot hold the text.",
  CODE_TOO_SMALL: "The code has too few pixels for its modules.",
  COLOR_PROFILE_INVALID: "The color profile is gone or cannot be read.",
  COLUMN_NOT_FOUND: "The table has no column of a name that the node reads.",
  CONTENT_REFUSED: "A safety filter of the model's provider refused the content.",
  CONTROL_OUT_OF_RANGE: "A control of the voice has a value that the model does not accept.",
  CONTROL_UNSUPPORTED: "A connected control of the voice is not one that the model has.",
  DATASET_DAMAGED: "The dataset's stored rows are not the rows that were written.",
  DATASET_EMPTY: "The file has no rows, which the node refuses.",
  DEFINITION_INCOMPATIBLE:
    "The service was updated, and the new version cannot continue the run. Submit it again.",
  DUPLICATE_COLUMN: "Two columns of the table have the same name.",
  ENUMERATE_NOT_A_LIST: "The enumerator was given a value that is not a list.",
  FILE_MISSING: "A file that the node reads no longer exists.",
  FILE_TOO_LARGE: "A file is larger than the node accepts.",
  FORMULA_ERROR: "A formula could not be computed.",
  IMAGE_FAILED: "A picture that the template needs could not be printed.",
  IMAGE_TOO_LARGE: "An image has more pixels or bytes than the node accepts.",
  IMAGE_UNREADABLE: "An image could not be read.",
  INPUT_TOO_LONG: "An input is longer than the node or its model accepts.",
  INSUFFICIENT_CREDITS: "The workspace's balance does not cover the node's plan.",
  INTERNAL_ERROR: "The service could not continue the run.",
  INTERNAL_NODE_ERROR: "The node failed unexpectedly.",
  INVALID_DATA: "The file is malformed, or contains no table that the node can read.",
  INVALID_DATASET: "The value is not a dataset of this workspace.",
  INVALID_FIELD_VALUE: "A value does not fit its field of the template.",
  INVALID_QUALITY_CHECK: "The gate was given a value that is not a quality check.",
  INVALID_SCHEMA: "The schema cannot be used.",
  ITEMS_FAILED: "Elements that the aggregator reads failed.",
  ITERATION_LIMIT_EXCEEDED: "The node would have more iterations than are allowed.",
  JSON_PATH_NOT_FOUND: "The path leads to nothing in the document.",
  JSON_SCHEMA_VIOLATION: "The document does not fit the schema.",
  LEASE_LOST: "Another worker took the task over.",
  LIST_OVERFLOW: "A list has rows that do not fit, which the node refuses.",
  MEDIA_FETCH_FAILED: "An address could not be fetched.",
  MEDIA_TOO_LARGE: "An address leads to a file larger than 250 MB.",
  MEDIA_TYPE_MISMATCH: "An address leads to a file of another type than the input accepts.",
  MEDIA_TYPE_UNSUPPORTED: "An address leads to a file of a type that is not accepted.",
  MEDIA_URL_REFUSED: "An address may not be fetched: it is not public https.",
  MISSING_REQUIRED_FIELD: "A required field of the template was given no value.",
  NETWORK_ERROR: "A connection was interrupted while the node ran.",
  NO_WORKER_AVAILABLE: "No worker could run the task, although it was offered repeatedly.",
  NODE_TIMEOUT: "The node took longer than its time limit.",
  NUMBER_INVALID: "A value is not a number as the node reads it.",
  OUTPUTS_EXPIRED: "The plan's output_retention_days are over and the output was deleted.",
  OUTPUT_TRUNCATED: "The model's answer was cut off at its limit of length.",
  PAGE_SELECTION_INVALID: "The selected pages are not pages of the output, or not exactly one.",
  PDF_ENCRYPTED: "A PDF opens only with a password.",
  PDF_TOO_LARGE: "The PDF would have more pages or bytes than one file may have.",
  PDF_UNREADABLE: "A PDF could not be read.",
  PROVIDER_AUTH_FAILED: "The provider of the model does not accept the operator's key.",
  PROVIDER_BAD_OUTPUT: "The provider of the model did not answer with what was requested.",
  PROVIDER_JOB_CANCELLED: "The job of the model was cancelled at its provider.",
  PROVIDER_JOB_FAILED: "The provider of the model could not finish the job.",
  PROVIDER_QUOTA_EXCEEDED: "The operator's account at the provider of the model has no quota left.",
  PROVIDER_RATE_LIMITED: "The provider of the model accepts fewer calls than were made.",
  PROVIDER_REJECTED: "The provider of the model rejected the request.",
  PROVIDER_TIMEOUT: "The model did not answer within its time limit.",
  PROVIDER_UNAVAILABLE: "The provider of the model did not answer.",
  QUALITY_GATE_FAILED: "The checks do not meet the gate's policy.",
  RENDER_TOO_LARGE: "The render has more pages, elements or picture bytes than one may have.",
  ROW_LIMIT_EXCEEDED: "The table has more rows than the node accepts.",
  RUN_TIMEOUT: "The run took longer than its time limit.",
  SCHEMA_OPERATION_LIMIT: "Checking the document takes more operations than one check may.",
  SOURCE_CHANGED: "A file changed between the submit, or its check, and the reading.",
  STORAGE_UNAVAILABLE: "The file store did not respond.",
  SVG_UNDRAWABLE: "The SVG has parts that cannot be drawn.",
  TEMPLATE_FIELD_UNKNOWN: "The draft of the template does not have a connected field any more.",
  TEMPLATE_NOT_AVAILABLE:
    "The document of the template is no longer stored, is not the one that was pinned, or has a font that cannot be used.",
  TEXT_OVERFLOW: "A text does not fit its box, which the node refuses.",
  TEXT_TEMPLATE_MISSING_TEMPLATE: "The node has no template and was given none.",
  TOO_MANY_FILES: "The node stored more files for one element than it may.",
  TYPE_MISMATCH: "A value does not fit the port that it reaches.",
  UNKNOWN_VOICE: "The model does not have the requested voice.",
  UNSUPPORTED_FORMAT: "The file's format cannot be read as a table.",
  VALIDATION_ERROR: "An option of the node does not fit the file.",
  VALUE_NOT_FOUND: "A stored value of an earlier node no longer exists.",
  VALUE_TOO_LARGE: "One value is larger than 16 MiB, or has too many parts.",
  WORKER_LOST: "The worker that ran this was lost, and so were the workers of its retries.",
} as const satisfies Readonly<Record<string, string>>;

/** Every code with which a node or a run can fail. */
export type NodeErrorCode = keyof typeof NODE_ERRORS;

/** Whether a text, for example one that an earlier release stored, is a current code. */
export function isNodeErrorCode(code: string): code is NodeErrorCode {
  return Object.hasOwn(NODE_ERRORS, code);
}

export function nodeErrorGuide(code: string): string {
  return isNodeErrorCode(code)
    ? NODE_ERRORS[code]
    : "The node failed. GET the execution for its message.";
}
