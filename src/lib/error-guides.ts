import type { ErrorCode } from "./errors.ts";

export interface ErrorGuide {
  /** What happened, in the caller's terms. */
  readonly cause: string;
  /** What the caller does about it. */
  readonly mend: string;
}

/** What each error page says (docs/contract/problems.md#format). Exhaustive by type: a new code needs its guide. */
export const ERROR_GUIDES: Readonly<Record<ErrorCode, ErrorGuide>> = {
  invalid_request: {
    cause:
      "The request cannot be read: the body is missing, is not JSON in UTF-8, is not an object, or nests too deep; or a parameter this route stands on, such as `workflow`, is missing or malformed.",
    mend: "Send one JSON object with `Content-Type: application/json`. `detail` says what could not be read and where.",
  },
  invalid_id: {
    cause:
      "An id is malformed, or belongs to another kind of resource: a `run_` id where a `wf_` id is expected.",
    mend: "Pass ids exactly as they were returned: the prefix and 32 hex digits, or the bare UUID.",
  },
  invalid_status: {
    cause:
      "The `status` filter is not one of the states of this resource, or the operation needs a resource in another state.",
    mend: "Use a state that `detail` lists, or leave the filter out.",
  },
  invalid_version: {
    cause: "The version is below 1 or above the latest published version of the workflow.",
    mend: "`detail` names the valid range. Leave `version` out to use the latest.",
  },
  invalid_idempotency_key: {
    cause:
      "The `Idempotency-Key` header is not 8 to 255 characters long, or has control characters.",
    mend: "Send a UUID, or any unique text of 8 to 255 printable characters.",
  },
  invalid_options: {
    cause: "The policy for validating a bundle, or for its checksums, is not one there is.",
    mend: "Send `validation` as `fail` or `warn`, and `verify_checksum` as `always`, `if_present` or `never`.",
  },
  invalid_url: {
    cause:
      "The address is malformed or may not be called: it is not https, holds credentials, names a port other than 443, or names or redirects to a host that is not public.",
    mend: "Give a public https address. `detail` names the rule that it breaks.",
  },
  missing_idempotency_key: {
    cause: "This route changes something and takes no request without an `Idempotency-Key` header.",
    mend: "Send a UUID, new for each change that you want and the same when you repeat one.",
  },
  endpoint_limit_reached: {
    cause:
      "The workspace has as many webhook endpoints as its plan allows; archived ones do not count.",
    mend: "Archive one that is no longer needed with `DELETE /api/v1/webhooks/endpoints/{endpoint_id}`, or move to another plan.",
  },
  verification_required: {
    cause:
      "The endpoint's current URL has not passed a test since it was set, or since the endpoint was disabled.",
    mend: "`POST /api/v1/webhooks/endpoints/{endpoint_id}/test` until the outcome is `passed`, then activate.",
  },
  delivery_not_retryable: {
    cause:
      "The delivery is still under way, was cancelled, or is a test; or a retry was asked for one that was delivered.",
    mend: "Retry takes an `exhausted` delivery, replay a `delivered` or `exhausted` one. Wait until it is one of these.",
  },
  invalid_file: {
    cause: "The upload holds no file, or an empty one.",
    mend: "Send `multipart/form-data` with the file in the field `file`, and at least one byte in it.",
  },
  invalid_file_type: {
    cause: "The file's name has no extension, or one that is not taken.",
    mend: "`detail` lists every extension. Convert the file, or name it by what it is.",
  },
  invalid_content: {
    cause:
      "The bytes are not of the type that the file's extension promises, or an SVG is not well-formed.",
    mend: "`detail` says what the bytes look like. Send the file under the name of what it is, or export it again.",
  },
  content_mismatch: {
    cause:
      "The bytes that were fetched or put are not of the type that the file's extension promises, or an SVG is not well-formed.",
    mend: "`detail` says what the bytes look like. Name the right type in `file_name`, or use the address of the file itself and not of a page about it.",
  },
  unsupported_type: {
    cause: "The type of an imported file is not one that is taken, or could not be told.",
    mend: "Send `file_name` with an extension that `detail` lists, if the file is of that type.",
  },
  invalid_size: {
    cause: "`size_bytes` is not positive, or larger than a file may be.",
    mend: "Send the file's exact size in bytes, at most what `detail` names.",
  },
  quota_exceeded: {
    cause:
      "The workspace's storage quota does not hold the file. Open upload sessions count from their creation.",
    mend: "Delete assets that are no longer needed, abort sessions that will not be finished, or ask for a larger plan. `GET /api/v1/storage/quota` says how much is in use.",
  },
  source_changed: {
    cause: "The stored file was replaced or removed while it was being read.",
    mend: "Send the request again. If the file is gone, upload it anew.",
  },
  unsupported_format: {
    cause:
      "The file cannot be read as a dataset: it is of another kind, an old or macro workbook, or protected by a password.",
    mend: "Send CSV, TSV, JSON, NDJSON or XLSX. Save an old or macro workbook as .xlsx, without macros and without a password.",
  },
  duplicate_column: {
    cause: "Two columns of the header have the same name, without regard to case and outer spaces.",
    mend: "Rename one of the columns that `detail` names.",
  },
  ambiguous_table: {
    cause: "The file holds several tables, and none was chosen.",
    mend: "Send one of the names in `detail` as `table`.",
  },
  invalid_data: {
    cause:
      "The file is malformed, is no table, or is built to exhaust its reader; or the chosen table is not in it.",
    mend: "`detail` names the row or the part. Mend it there, or export the file again.",
  },
  row_limit_exceeded: {
    cause: "The dataset has more rows than `max_rows` allows.",
    mend: "Raise `max_rows`, leave it out, or send fewer rows.",
  },
  window_closing: {
    cause: "The session's time to finalize is nearly over, too near to be sure to finish in it.",
    mend: "Create a new session and upload the file again.",
  },
  file_not_uploaded: {
    cause: "The session was finalized before its bytes, or one of its parts, had arrived.",
    mend: "PUT what is missing, then finalize again. For multipart, `GET` the session: it lists every part with `confirmed`.",
  },
  outputs_expired: {
    cause:
      "The run ended longer ago than its workspace's plan keeps outputs (`output_retention_days`), and they were deleted.",
    mend: "Submit the workflow again. The run itself, its trace and its events stay readable; `outputs_expired_at` says when its outputs went.",
  },
  upload_expired: {
    cause: "The session was not finalized in time, and what was put has been deleted.",
    mend: "Create a new session. It is open for 24 hours, each address in it for 15 minutes.",
  },
  file_too_large: {
    cause: "The file is larger than 250 MB, or than its upload session says.",
    mend: "Send a smaller file, or split it. For a session, put exactly `size_bytes` bytes.",
  },
  FONT_INVALID: {
    cause:
      "The file is not a sound TTF or OTF: its tables are broken or missing, or a trial run of its glyphs failed.",
    mend: "`detail` says where. Export the font again from its source, as static TTF or OTF.",
  },
  FONT_VARIABLE_UNSUPPORTED: {
    cause: "The file is a variable font: one file with axes instead of one for each variant.",
    mend: "Send static instances, one file for each weight and style. Foundries ship them in a folder `static`; `fonttools varLib.instancer` makes them.",
  },
  FONT_WEB_FORMAT_UNSUPPORTED: {
    cause: "The file is WOFF or WOFF2, formats for browsers.",
    mend: "Send the TTF or OTF that it was made from; `fonttools ttLib.woff2 decompress` gives it back.",
  },
  FONT_COLLECTION_UNSUPPORTED: {
    cause: "The file is a collection (TTC, OTC) with several fonts in it.",
    mend: "Take the fonts out and send each as a file of its own.",
  },
  FONT_REGULAR_REQUIRED: {
    cause:
      "No file of the form has weight 400 and normal style; weight and style are read from the fonts.",
    mend: 'Send the regular variant too. A revision is whole: send every variant, each in the field "files".',
  },
  FONT_DUPLICATE_VARIANT: {
    cause: "Two files of the form have the same weight and style; these are read from the fonts.",
    mend: "Send one file for each variant. Condensed and wide cuts make families of their own.",
  },
  FONT_FAMILY_MISMATCH: {
    cause:
      "The files name different families in their name tables, or a revision's files another family than the one they were sent to.",
    mend: "Send the files of one family together, and another family by `POST /api/v1/fonts`.",
  },
  FONT_LICENSE_ACKNOWLEDGEMENT_REQUIRED: {
    cause: "The form does not say that its sender may use these fonts here.",
    mend: "When you hold the licence, send the field `licenseAcknowledged` as `true`.",
  },
  FONT_FAMILY_ALREADY_EXISTS: {
    cause:
      "The workspace has a family of that display name. Case does not count, and archived families keep their names. `familyGuid` names it.",
    mend: "Send the files to `POST /api/v1/fonts/{familyGuid}/revisions`, or choose another name.",
  },
  FONT_FILE_TOO_LARGE: {
    cause: "A font file is larger than 20 MB.",
    mend: "Send a subset of its glyphs.",
  },
  FONT_FAMILY_TOO_LARGE: {
    cause: "The files of the form are larger than 60 MB together, or more than 50.",
    mend: "Leave out variants, or send subsets.",
  },
  rate_limited: {
    cause: "More than 60 imports or upload sessions in a minute in this workspace.",
    mend: "Wait for the seconds in `Retry-After`, then go on more slowly.",
  },
  feature_disabled: {
    cause: "Presigned uploads are switched off in this deployment.",
    mend: "Upload through `POST /api/v1/assets`, or ask the operator to switch them on.",
  },
  fetch_failed: {
    cause:
      "The address could not be fetched: its name does not resolve, the connection was refused or broke off, it answered with an error, or it took too long.",
    mend: "Open the address without cookies from outside of your network: it must answer 200 with the file. Then try again.",
  },
  validation_error: {
    cause:
      "One or more fields are wrong: missing, of another type, out of range, or unknown. Nothing was created.",
    mend: "Every problem stands in `errors[]` with its `field` and a `message` that names the rule. Mend them all and send again. For a submit, `example` holds inputs that work.",
  },
  workflow_not_published: {
    cause:
      "The workflow is a draft or archived. Only published workflows run, pinned versions included.",
    mend: "Publish it with `POST /api/v1/workflows/{id}/publish`. An archived workflow is cloned first.",
  },
  unsupported_grant_type: {
    cause: "The token endpoint knows one grant.",
    mend: "Send the form field `grant_type=client_credentials`.",
  },
  invalid_client: {
    cause:
      "The client credentials are missing or wrong, or the API key was revoked or has expired.",
    mend: "Send `client_id:client_secret` of a live key as HTTP Basic. A lost secret cannot be read again: have the operator create another key.",
  },
  unauthorized: {
    cause: "The access token is missing, malformed or expired, or its API key was revoked.",
    mend: "Send `Authorization: Bearer <access_token>`. Tokens live for one hour: get a new one from `POST /api/v1/auth/token` and try once more.",
  },
  insufficient_credits: {
    cause:
      "The worst-case cost of this submit is above the workspace's balance. With an idempotency key a failed run was recorded, named by `execution_id`.",
    mend: "Have credits granted, or lower the work: fewer items, or cheaper nodes. The estimate of a workflow says what a submit would reserve.",
  },
  plan_limit_exceeded: {
    cause: "The workspace's plan does not allow more of this.",
    mend: "Remove what is no longer needed, or move to a plan with a higher limit. `GET /api/v1/plan` shows the limits.",
  },
  forbidden: {
    cause:
      "The resource belongs to another workspace, or the operation is not open to this kind of caller.",
    mend: "Use a key of the workspace that owns the resource.",
  },
  insufficient_scope: {
    cause:
      "The API key lacks the scope or the workspace permission this route needs. `detail` names it.",
    mend: "Use a key that has it. Keys do not change: the operator creates one with the scopes and permissions you need.",
  },
  not_found: {
    cause:
      "There is no such route, or no such resource in this workspace; it may have been deleted.",
    mend: "Check the path against the reference at `/docs`, and the id against a list.",
  },
  workflow_not_found: {
    cause: "The workflow that the submit names does not exist.",
    mend: "Take the id from `GET /api/v1/workflows`.",
  },
  version_not_available: {
    cause:
      "The version exists in the workflow's history, but its definition can no longer be read.",
    mend: "Use another version; `GET /api/v1/workflows/{id}/versions` lists them.",
  },
  method_not_allowed: {
    cause: "The path exists, but not with this HTTP method.",
    mend: "Use a method of the `Allow` header.",
  },
  conflict: {
    cause:
      "The request collides with what is there, such as a folder of that name in the same place.",
    mend: "Read the current state, then choose another name or repeat the change on top of it.",
  },
  executions_in_progress: {
    cause: "The workflow has runs that are not finished, so it cannot be deleted.",
    mend: "Wait for them or cancel them, then delete.",
  },
  idempotency_conflict: {
    cause: "This `Idempotency-Key` was used within the last 24 hours for a different request.",
    mend: "Repeat the first request unchanged to get its answer again, or use a new key for a new request.",
  },
  precondition_failed: {
    cause: "The resource changed since you read it: `If-Match` names an older ETag.",
    mend: "Read it again, apply your change to what you find, and send it with the new ETag.",
  },
  payload_too_large: {
    cause: "The body is larger than this route takes; JSON bodies may have 4 MiB.",
    mend: "Upload large data as an asset and pass its `asset_path`.",
  },
  unsupported_media_type: {
    cause: "The `Content-Type` is missing or is not one that this route reads.",
    mend: "Send `Content-Type: application/json`, or what the reference at `/docs` names for the route.",
  },
  range_not_satisfiable: {
    cause: "The `Range` header asks for bytes beyond the end of the file.",
    mend: "Ask for a range within the size that `Content-Range` names, or leave the header out.",
  },
  already_terminal: {
    cause: "The run has finished, so there is nothing to cancel.",
    mend: "Read its result. To run it again, submit it again.",
  },
  invalid_state: {
    cause:
      "The resource's current state does not allow this operation; an archived workflow, for one, cannot be published.",
    mend: "`detail` names the state and what is possible from it.",
  },
  not_completed: {
    cause: "The raw outputs were asked for before the run was finished.",
    mend: "Poll the run until its status is terminal, or read `/result`, which answers while the run goes on.",
  },
  precondition_required: {
    cause:
      "This change needs an `If-Match` header, so that two editors cannot overwrite each other unseen.",
    mend: "Read the resource, and send its `ETag` as `If-Match`.",
  },
  too_many_requests: {
    cause: "More requests than the limit allows in its window.",
    mend: "Wait as many seconds as `Retry-After` says. Keep tokens for the hour they live, and poll every 3 to 5 seconds.",
  },
  internal_error: {
    cause: "Something failed on our side.",
    mend: "Try again; with an `Idempotency-Key` a repeat is safe. If it stays, quote `request_id` to support.",
  },
  service_unavailable: {
    cause: "A part of the service is not reachable for the moment.",
    mend: "Try again after `Retry-After`.",
  },
};
