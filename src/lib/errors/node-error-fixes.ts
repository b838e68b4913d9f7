import type { NodeErrorCode } from "./node-error-guides.ts";

/** The fix for each code of a failed node or run. Exhaustive by type: a new code needs a fix. */
export const NODE_ERROR_FIXES: Readonly<Record<NodeErrorCode, string>> = {
  ADMISSION_LIMIT_EXCEEDED:
    "Send fewer items, or raise `admission_limits.max_admitted_milli_credits`. An estimate shows what each node may cost.",
  AI_INPUT_MISSING:
    "Send a value for one of the inputs that `error_message` names, or choose a preset.",
  AMBIGUOUS_TABLE:
    "Name the table in the node's `table` parameter: a JSON path or the name of a worksheet. `error_message` lists the candidates.",
  AUDIO_TRACK_MISSING: "Send a file with an audio track.",
  AUDIO_UNREADABLE:
    "Send a complete WAV, MP3, FLAC, Ogg or M4A. The sample models read only WAV of 16, 24 or 32-bit PCM or 32-bit float.",
  BUNDLE_INVALID:
    "Validate the manifest with `POST /api/v1/bundle-manifests/validate`, fix each issue that it lists, and submit again. `warn` leaves rejected entries out instead.",
  BUNDLE_STORAGE_FORBIDDEN:
    "Upload the file to this workspace, and name its own path in the manifest.",
  BUNDLE_STORAGE_MISSING:
    "Upload the file again and name its new path, or take the entry out of the manifest.",
  CALC_DIVISION_BY_ZERO:
    "Guard the division: `if(total == 0, 0, part / total)` evaluates only the branch that it needs.",
  CALC_EMPTY_LIST: "Guard the function with `if(count(list) == 0, 0, avg(list))`.",
  CALC_MISSING_FIELD:
    "Correct the name in the expression, or add the field to the input. `error_message` names it.",
  CALC_NOT_A_NUMBER:
    "Convert the value with `utility/to_number` first. Text is never read as a number, and `null` is not 0.",
  CALC_OPERATION_LIMIT: "Use shorter lists, or split the calculation over several nodes.",
  CALC_OVERFLOW: "Use numbers whose power of ten stays within ±1000.",
  CALC_TYPE_MISMATCH:
    "Compare numbers with numbers and booleans with booleans; use conditions where a boolean is needed.",
  CANCELLED: "Nothing, if the cancellation was intended. Otherwise submit the run again.",
  CODE_NOT_SCANNABLE:
    "Use more contrast, simpler module shapes, a smaller logo or a larger picture. `error_message` says what failed.",
  CODE_TEXT_INVALID:
    "Shorten the text or use another symbology. `qr` takes any text that fits, `ean13` 12 or 13 digits, `code128` up to 48 printable ASCII characters.",
  CODE_TOO_SMALL: "Ask for a larger picture, or shorten the text.",
  COLOR_PROFILE_INVALID: "Upload the profile again, and name the new one in the node.",
  COLUMN_NOT_FOUND:
    "Map a column that the file has. `POST /api/v1/structured-data/inspect` lists its columns.",
  CONCAT_INCOMPATIBLE:
    "Make all clips with the same settings. `error_message` names the clip, the property and both values.",
  CONTENT_REFUSED:
    "Change the prompt or the inputs, or name a fallback model and set `fallback_on_refusal`.",
  CONTROL_OUT_OF_RANGE: "Send a value in the range that `error_message` names.",
  CONTROL_UNSUPPORTED:
    "Remove the connection to the control, or use a model whose `controls` have it.",
  DATASET_DAMAGED:
    "Submit the run again, so that the file is read again. If the error persists, quote the run's id to support.",
  DATASET_EMPTY: "Send a file with rows, or set `emptyBehavior` of the node to `allow`.",
  DEFINITION_INCOMPATIBLE:
    "Submit the workflow again. The work done so far was charged, and its outputs stay readable.",
  DUBBING_CHECK_FAILED: "Fix what `error_message` names, or set `on_fail` to `report`.",
  DUBBING_EVIDENCE_DUPLICATE: "Send each cue once. `error_message` names the cues.",
  DUBBING_EVIDENCE_INVALID:
    "Connect the output that the port is meant for. `error_message` names the problem.",
  DUBBING_EVIDENCE_MISSING: "Connect or make what `error_message` names.",
  DUBBING_EVIDENCE_UNKNOWN: "Remove the cues that `error_message` names, or add them to `cues`.",
  DUBBING_REFERENCE_REFUSED: "Use files of this workspace: references begin with storage://.",
  DUPLICATE_COLUMN:
    "Rename one of the two columns. Names are compared without regard to case and outer spaces.",
  ENUMERATE_NOT_A_LIST:
    "Connect a list, or a JSON array. `utility/json_path` selects an array inside a document.",
  FILE_MISSING:
    "Upload the file again and submit with its new path. Files that were deleted cannot be read.",
  FILE_TOO_LARGE: "Send a smaller file, or split it. `error_message` names the limit.",
  FIT_OUT_OF_RANGE:
    "Change the text or the window, widen `min_speed` and `max_speed`, or set `on_out_of_range` to `clamp`.",
  FIT_TARGET_INVALID:
    "Send a duration above 0 and up to 3,600 seconds, or both ends of the window.",
  FIT_TARGET_MISSING:
    "Send `target_duration`, or both `target_start` and `target_end`, or set the parameter.",
  FORMULA_ERROR:
    "Correct the cell that `error_message` names by column and row, or set `onInvalid` of the column to `null` or `skip_row`.",
  IMAGE_FAILED:
    "Send a picture that exists and can be read. `error_message` names the field and the reason.",
  IMAGE_TOO_LARGE:
    "Scale the picture down. `error_message` names the size that fits for its format.",
  IMAGE_UNREADABLE:
    "Export the picture again as PNG, JPEG, WebP, GIF, AVIF or SVG. `error_message` names the reason, such as an animation or a file that was cut short.",
  INPUT_TOO_LONG:
    "Shorten the input, or raise the node's limit. `error_message` names both lengths.",
  INSUFFICIENT_CREDITS: "Add credits, or send fewer items, and submit again.",
  INTERNAL_ERROR: "Submit the run again. If it fails again, quote the run's id to support.",
  INTERNAL_NODE_ERROR:
    "Submit the run again. If it fails again, quote the run's id and the node's id to support.",
  INVALID_DATA:
    "Fix the row or the part that `error_message` names, or export the file again. `POST /api/v1/structured-data/inspect` checks a file without a run.",
  INVALID_DATASET:
    "Connect the `dataset` output of an `input/data` node. A dataset of another workspace cannot be read.",
  INVALID_FIELD_VALUE:
    "Send a value of the field's type. The contract of the template's revision lists the fields.",
  INVALID_QUALITY_CHECK: "Connect the output `check` of a node that has one.",
  INVALID_SCHEMA:
    "Send a JSON Schema of draft 2020-12, 2019-09 or draft-07 whose references stay inside the schema. `error_message` says what cannot be used.",
  ITEMS_FAILED:
    "Fix the elements that the trace lists as failed, or set `on_failed_items` to `skip`.",
  ITERATION_LIMIT_EXCEEDED:
    "Send fewer items, raise `admission_limits.max_iterations_per_node` where it is below 10,000, or split the run.",
  JSON_PATH_NOT_FOUND:
    "Correct the path. Keys are compared exactly, and `[0]` is the first element of a list.",
  JSON_SCHEMA_VIOLATION: "Correct the document where `error_message` says, or change the schema.",
  LEASE_LOST:
    "Nothing: the task is repeated by another worker. If the run failed, submit it again.",
  LIST_OVERFLOW:
    "Send fewer rows, let the list continue on further pages, or choose another `overflow_policy`.",
  MEDIA_CODEC_UNSUPPORTED:
    "Convert the file first. `error_message` names the codec and those that are read.",
  MEDIA_EMPTY: "Send a file whose sound or picture has a duration.",
  MEDIA_ENCRYPTED: "Send a file without copy protection.",
  MEDIA_FETCH_FAILED:
    "Open the address without cookies from outside of your network: it must return 200 with the file. Then submit again, or upload the file as an asset.",
  MEDIA_PARAMETERS_UNSUPPORTED:
    "Convert the file first: 8 to 192 kHz, 1 to 8 channels, up to 16,777,216 pixels.",
  MEDIA_TOO_LARGE: "Use a file of at most 250 MB.",
  MEDIA_TOO_LONG: "Split the file first. `error_message` names the limit.",
  MEDIA_TRUNCATED: "Upload the file again, completely.",
  MEDIA_TYPE_MISMATCH:
    "Use the address of the file itself and not of a page about it, and a file of the input's type.",
  MEDIA_TYPE_UNSUPPORTED:
    "Convert the file to a type that the input accepts. `error_message` lists them.",
  MEDIA_UNREADABLE:
    "Export the file again with current software. `error_message` says where the file is wrong.",
  MEDIA_URL_REFUSED:
    "Use a public https address on port 443 without credentials, or upload the file as an asset.",
  MISSING_REQUIRED_FIELD:
    "Send a value for the field, or set `missing_policy` to `use_template_default`.",
  NETWORK_ERROR: "Submit the run again. The task was retried three times before it failed.",
  NO_WORKER_AVAILABLE:
    "Submit the run again later. The task was offered for some ten minutes before it failed.",
  NODE_TIMEOUT:
    "Send smaller inputs, or submit again later. The catalog entry of the node names its time limit.",
  NUMBER_INVALID: "Correct the value, set `locale` or `strip`, or set `on_invalid` to `absent`.",
  OUTPUTS_EXPIRED:
    "Submit the workflow again. Download outputs before the plan's retention is over.",
  OUTPUT_TRUNCATED: "Raise `max_output_tokens`, or ask for less.",
  PAGE_SELECTION_INVALID:
    "Select pages that the output has. The output `image` takes exactly one page.",
  PDF_ENCRYPTED: "Save the PDF without a password.",
  PDF_TOO_LARGE: "Merge fewer documents, or print fewer elements in one document.",
  PDF_UNREADABLE: "Save the PDF again with another program, and send it whole.",
  PROVIDER_AUTH_FAILED:
    "The operator replaces the provider's key. Until then, use a model of another provider.",
  PROVIDER_BAD_OUTPUT:
    "Submit the run again. If it fails again, use another model or name fallback models.",
  PROVIDER_JOB_CANCELLED: "Submit the run again, and let nobody cancel its jobs at the provider.",
  PROVIDER_JOB_FAILED:
    "Change the inputs or the model's parameters, use another model, or name fallback models.",
  PROVIDER_QUOTA_EXCEEDED:
    "The operator raises the quota at the provider. Until then, use a model of another provider.",
  PROVIDER_RATE_LIMITED: "Submit the run later, or name fallback models of another provider.",
  PROVIDER_REJECTED:
    "Change the prompt, the inputs or the model's parameters: the same request is rejected again.",
  PROVIDER_TIMEOUT: "Ask for less, or use a faster model.",
  PROVIDER_UNAVAILABLE: "Submit the run later, or name fallback models of another provider.",
  QUALITY_GATE_FAILED:
    "Fix what the checks report, or change `required_checks` and `ignored_checks` of the gate.",
  RENDER_TOO_LARGE:
    "Send shorter lists or smaller pictures, select fewer pages, or split the document.",
  ROW_LIMIT_EXCEEDED: "Send a file with fewer rows, or split it over several runs.",
  RUN_TIMEOUT:
    "Send fewer items or split the run. `max_run_seconds` of the plan is the limit; outputs made until then stay readable.",
  SCHEMA_OPERATION_LIMIT: "Simplify the schema, or validate a smaller document.",
  SEGMENT_OUT_OF_RANGE: "Choose a start within the duration that `error_message` names.",
  SOURCE_CHANGED: "Submit again: the run reads only the file that it was submitted with.",
  STORAGE_UNAVAILABLE: "Submit the run again. If it fails again, look at the service's status.",
  SUBTITLES_INVALID: "Correct the cue that `error_message` names.",
  SVG_UNDRAWABLE:
    "Simplify the SVG: convert text to paths, merge paths, take out embedded pictures and nested layers. `error_message` names the part.",
  TEMPLATE_FIELD_UNKNOWN:
    "Give the field back to the draft, or disconnect it and publish the workflow again. A node with a `template_revision` keeps its fields.",
  TEMPLATE_NOT_AVAILABLE:
    "Choose another revision of the template in the node, and publish the workflow again.",
  TEXT_OVERFLOW:
    "Shorten the text, give its element more room, or choose another `overflow_policy`.",
  TEXT_TEMPLATE_MISSING_TEMPLATE:
    "Set the node's `template` parameter, or connect a text to its `template` input.",
  TIMELINE_CUE_DUPLICATE: "Give each cue an id of its own. `error_message` names it.",
  TIMELINE_CUE_INVALID:
    "Send an id, and a start and end in seconds with the end after the start. `error_message` names the cue.",
  TIMELINE_CUE_MISSING:
    "Fix what makes the clip, or set `missing_cue_policy` to `warn`. `error_message` names the cues.",
  TIMELINE_OVERLAP:
    "Move a cue, or set `overlap_policy` to `mix` or `trim_previous`. `error_message` names both cues.",
  TOO_MANY_FILES: "Make fewer files for one element, or fan out over more elements.",
  TYPE_MISMATCH:
    "Convert the value before the port, or connect another one. In tables, set `onInvalid` of the column.",
  UNKNOWN_VOICE: "Use one of the voices that `error_message` lists, or leave the voice out.",
  UNSUPPORTED_FORMAT:
    "Send CSV, TSV, JSON, NDJSON or XLSX. Save an old or macro workbook as .xlsx without macros and without a password.",
  VALIDATION_ERROR: "Correct the option that `error_message` names.",
  VALUE_NOT_FOUND: "Submit the run again: its stored values were removed or have expired.",
  VALUE_TOO_LARGE: "Split the value, or pass it as a file.",
  VIDEO_CUT_INEXACT: "Set `cut` to `keyframe`, or send an MP4.",
  VIDEO_TRACK_MISSING: "Send a file with a video track.",
  WORKER_LOST:
    "Submit the run again. The task was repeated on three other workers before it failed.",
};
