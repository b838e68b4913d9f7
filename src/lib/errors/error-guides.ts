import type { ErrorCode } from "./errors.ts";
import { TEMPLATE_ERROR_GUIDES } from "./template-error-guides.ts";

export interface ErrorGuide {
  /** The cause, in the caller's terms. */
  readonly cause: string;
  /** The fix. */
  readonly remedy: string;
}

/**
 * The content of each error page (docs/contract/problems.md#format). Exhaustive by type: a new code
 * needs a guide.
 */
export const ERROR_GUIDES: Readonly<Record<ErrorCode, ErrorGuide>> = {
  invalid_request: {
    cause:
      "The request cannot be read: the body is missing, is not JSON in UTF-8, is not an object, or nests too deep; or a parameter that the route requires, such as `workflow`, is missing or malformed.",
    remedy:
      "Send one JSON object with `Content-Type: application/json`. `detail` names the part that could not be read.",
  },
  invalid_id: {
    cause:
      "An id is malformed, or belongs to another kind of resource: a `run_` id where a `wf_` id is expected.",
    remedy:
      "Pass ids exactly as they were returned: the prefix and 32 hex digits, or the bare UUID.",
  },
  invalid_status: {
    cause:
      "The `status` filter is not one of the states of this resource, or the operation needs a resource in another state.",
    remedy: "Use a state that `detail` lists, or leave the filter out.",
  },
  invalid_version: {
    cause: "The version is below 1 or above the latest published version of the workflow.",
    remedy: "`detail` names the valid range. Leave `version` out to use the latest.",
  },
  invalid_idempotency_key: {
    cause:
      "The `Idempotency-Key` header is not 8 to 255 characters long, or has control characters.",
    remedy: "Send a UUID, or any unique text of 8 to 255 printable characters.",
  },
  invalid_options: {
    cause: "The policy for validating a bundle, or for its checksums, is unknown.",
    remedy:
      "Send `validation` as `fail` or `warn`, and `verify_checksum` as `always`, `if_present` or `never`.",
  },
  invalid_url: {
    cause:
      "The address is malformed or may not be called: it is not https, holds credentials, names a port other than 443, or names or redirects to a host that is not public.",
    remedy: "Give a public https address. `detail` names the broken rule.",
  },
  missing_idempotency_key: {
    cause: "This route changes data and requires an `Idempotency-Key` header.",
    remedy: "Send a UUID: a new one for each change, and the same one when you repeat a change.",
  },
  endpoint_limit_reached: {
    cause:
      "The workspace has as many webhook endpoints as its plan allows. Archived endpoints do not count.",
    remedy:
      "Archive one that is no longer needed with `DELETE /api/v1/webhooks/endpoints/{endpoint_id}`, or move to another plan.",
  },
  verification_required: {
    cause:
      "The endpoint's current URL has not passed a test since it was set, or since the endpoint was disabled.",
    remedy:
      "`POST /api/v1/webhooks/endpoints/{endpoint_id}/test` until the outcome is `passed`, then activate.",
  },
  delivery_not_retryable: {
    cause:
      "The delivery is still under way, was cancelled, or is a test; or a retry was requested for a delivery that was delivered.",
    remedy:
      "Retry needs an `exhausted` delivery, replay a `delivered` or `exhausted` one. Wait until the delivery has one of these statuses.",
  },
  invalid_file: {
    cause: "The upload contains no file, or an empty one.",
    remedy:
      "Send `multipart/form-data` with the file in the field `file`, and at least one byte in it.",
  },
  invalid_file_type: {
    cause: "The file's name has no extension, or one that is not accepted.",
    remedy:
      "`detail` lists every extension. Convert the file, or rename it with the extension of its type.",
  },
  invalid_content: {
    cause: "The bytes do not match the type of the file's extension, or an SVG is not well-formed.",
    remedy:
      "`detail` names the detected type. Rename the file with the extension of its type, or export it again.",
  },
  content_mismatch: {
    cause:
      "The bytes that were fetched or put do not match the type of the file's extension, or an SVG is not well-formed.",
    remedy:
      "`detail` names the detected type. Send `file_name` with the extension of that type, or use the address of the file itself and not of a page about it.",
  },
  unsupported_type: {
    cause: "The type of an imported file is not accepted, or could not be determined.",
    remedy: "Send `file_name` with an extension that `detail` lists, if the file is of that type.",
  },
  invalid_size: {
    cause: "`size_bytes` is not positive, or larger than a file may be.",
    remedy: "Send the file's exact size in bytes, up to the maximum in `detail`.",
  },
  quota_exceeded: {
    cause:
      "The file does not fit into the workspace's storage quota. Open upload sessions count from their creation.",
    remedy:
      "Delete assets that are no longer needed, abort sessions that will not be finished, or move to a larger plan. `GET /api/v1/storage/quota` shows the use of the quota.",
  },
  source_changed: {
    cause: "The stored file was replaced or removed while it was being read.",
    remedy: "Send the request again. If the file was removed, upload it again.",
  },
  unsupported_format: {
    cause:
      "The file cannot be read as a dataset: it is of another kind, an old or macro workbook, or protected by a password.",
    remedy:
      "Send CSV, TSV, JSON, NDJSON or XLSX. Save an old or macro workbook as .xlsx, without macros and without a password.",
  },
  duplicate_column: {
    cause: "Two columns of the header have the same name, without regard to case and outer spaces.",
    remedy: "Rename one of the columns that `detail` names.",
  },
  ambiguous_table: {
    cause: "The file contains several tables, and none was selected.",
    remedy: "Send one of the names in `detail` as `table`.",
  },
  invalid_data: {
    cause:
      "The file is malformed, is not a table, or is built to exhaust its reader; or it does not have the selected table.",
    remedy: "`detail` names the row or the part. Fix it there, or export the file again.",
  },
  row_limit_exceeded: {
    cause: "The dataset has more rows than `max_rows` allows.",
    remedy: "Raise `max_rows`, leave it out, or send fewer rows.",
  },
  window_closing: {
    cause: "The session's time to finalize ends within a minute, which may be too short to finish.",
    remedy: "Create a new session and upload the file again.",
  },
  file_not_uploaded: {
    cause: "The session was finalized before its bytes, or one of its parts, had arrived.",
    remedy:
      "PUT the missing bytes, then finalize again. For multipart, `GET` the session: it lists every part with `confirmed`.",
  },
  outputs_expired: {
    cause:
      "The run ended longer ago than its workspace's plan keeps outputs (`output_retention_days`), and they were deleted.",
    remedy:
      "Submit the workflow again. The run itself, its trace and its events stay readable; `outputs_expired_at` is the time when its outputs were deleted.",
  },
  upload_expired: {
    cause: "The session was not finalized in time, and its bytes were deleted.",
    remedy: "Create a new session. It is open for 24 hours, each address in it for 15 minutes.",
  },
  file_too_large: {
    cause: "The file is larger than 250 MB, or than the size in its upload session.",
    remedy: "Send a smaller file, or split it. For a session, put exactly `size_bytes` bytes.",
  },
  FONT_INVALID: {
    cause:
      "The file is not a valid TTF or OTF: its tables are damaged or missing, or drawing its glyphs failed.",
    remedy:
      "`detail` names the place. Export the font again from its source, as static TTF or OTF.",
  },
  FONT_VARIABLE_UNSUPPORTED: {
    cause: "The file is a variable font: one file with axes instead of one for each variant.",
    remedy:
      "Send static instances, one file for each weight and style. Foundries ship them in a folder `static`; `fonttools varLib.instancer` makes them.",
  },
  FONT_WEB_FORMAT_UNSUPPORTED: {
    cause: "The file is WOFF or WOFF2, formats for browsers.",
    remedy:
      "Send the TTF or OTF that it was made from; `fonttools ttLib.woff2 decompress` restores it.",
  },
  FONT_COLLECTION_UNSUPPORTED: {
    cause: "The file is a collection (TTC, OTC) of several fonts.",
    remedy: "Take the fonts out and send each as a file of its own.",
  },
  FONT_REGULAR_REQUIRED: {
    cause:
      "No file of the form has weight 400 and normal style; weight and style are read from the fonts.",
    remedy:
      'Send the regular variant too. A revision is complete: send every variant, each in the field "files".',
  },
  FONT_DUPLICATE_VARIANT: {
    cause: "Two files of the form have the same weight and style; these are read from the fonts.",
    remedy: "Send one file for each variant. Condensed and wide cuts are separate families.",
  },
  FONT_FAMILY_MISMATCH: {
    cause:
      "The files name different families in their name tables, or a revision's files another family than the one they were sent to.",
    remedy: "Send the files of one family together, and another family by `POST /api/v1/fonts`.",
  },
  FONT_LICENSE_ACKNOWLEDGEMENT_REQUIRED: {
    cause: "The form does not state that its sender may use these fonts here.",
    remedy: "When you hold the license, send the field `licenseAcknowledged` as `true`.",
  },
  FONT_FAMILY_ALREADY_EXISTS: {
    cause:
      "The workspace has a family of that display name. Letter case is ignored, and archived families keep their names. `familyGuid` is that family.",
    remedy:
      "Send the files to `POST /api/v1/fonts/{familyGuid}/revisions`, or choose another name.",
  },
  FONT_FILE_TOO_LARGE: {
    cause: "A font file is larger than 20 MB.",
    remedy: "Send a subset of its glyphs.",
  },
  FONT_FAMILY_TOO_LARGE: {
    cause: "The files of the form are larger than 60 MB together, or more than 50.",
    remedy: "Leave out variants, or send subsets.",
  },
  rate_limited: {
    cause: "More than 60 imports or upload sessions in a minute in this workspace.",
    remedy: "Wait for the seconds in `Retry-After`, then continue at a lower rate.",
  },
  feature_disabled: {
    cause: "Presigned uploads are switched off in this deployment.",
    remedy: "Upload through `POST /api/v1/assets`, or ask the operator to switch them on.",
  },
  fetch_failed: {
    cause:
      "The address could not be fetched: its name does not resolve, the connection was refused or interrupted, it returned an error, or it took too long.",
    remedy:
      "Open the address without cookies from outside of your network: it must return 200 with the file. Then retry.",
  },
  validation_error: {
    cause:
      "One or more fields are wrong: missing, of another type, out of range, or unknown. Nothing was created.",
    remedy:
      "`errors[]` lists every problem with its `field` and a `message` that names the rule. Fix all of them and send the request again. For a submit, `example` has inputs that would be accepted.",
  },
  workflow_not_published: {
    cause:
      "The workflow is a draft or archived. Only published workflows run, pinned versions included.",
    remedy:
      "Publish it with `POST /api/v1/workflows/{id}/publish`. Clone an archived workflow first.",
  },
  unsupported_grant_type: {
    cause: "The token endpoint supports one grant type.",
    remedy: "Send the form field `grant_type=client_credentials`.",
  },
  invalid_client: {
    cause:
      "The client credentials are missing or wrong, or the API key was revoked or has expired.",
    remedy:
      "Send `client_id:client_secret` of a live key as HTTP Basic. A lost secret cannot be read again: ask the operator for another key.",
  },
  unauthorized: {
    cause: "The access token is missing, malformed or expired, or its API key was revoked.",
    remedy:
      "Send `Authorization: Bearer <access_token>`. Tokens live for one hour: get a new one from `POST /api/v1/auth/token` and retry.",
  },
  insufficient_credits: {
    cause:
      "The worst-case cost of this submit is above the workspace's balance. With an idempotency key a failed run was recorded, named by `execution_id`.",
    remedy:
      "Add credits, or reduce the work: fewer items, or nodes that cost less. An estimate shows the amount that a submit would reserve.",
  },
  plan_limit_exceeded: {
    cause:
      "The workspace's plan does not allow more of this resource, or does not include this feature.",
    remedy:
      "Remove what is no longer needed, or move to a plan with a higher limit. `GET /api/v1/plan` shows the limits.",
  },
  forbidden: {
    cause:
      "The resource belongs to another workspace, or this kind of caller may not use the operation.",
    remedy: "Use a key of the workspace that owns the resource.",
  },
  insufficient_scope: {
    cause:
      "The API key lacks the scope or the workspace permission this route needs. `detail` names it.",
    remedy:
      "Use a key that has it. The scopes of a key do not change: ask the operator for a key with the scopes and permissions that you need.",
  },
  api_key_required: {
    cause: "An embed token was used to mint or revoke embed tokens.",
    remedy:
      "Call this route from your backend, with an access token of an API key. Never send a key to a browser.",
  },
  execution_cap_exceeded: {
    cause:
      "The embed token has started as many runs as its `max_executions` allows, or the permit that was sent is unknown, used or older than 10 minutes.",
    remedy:
      "`executions` shows the count. With runs left, call `POST /api/embed/check-execution` for a new permit; otherwise mint a new token.",
  },
  invalid_jti: {
    cause: "The id of an embed token is not `emb_` and 32 hex digits.",
    remedy: "Pass the `jti` exactly as the mint returned it.",
  },
  not_found: {
    cause:
      "There is no such route, or no such resource in this workspace; it may have been deleted.",
    remedy: "Check the path against the reference at `/docs`, and the id against a list.",
  },
  workflow_not_found: {
    cause: "The workflow that the submit names does not exist.",
    remedy: "Take the id from `GET /api/v1/workflows`.",
  },
  version_not_available: {
    cause:
      "The version exists in the workflow's history, but its definition can no longer be read.",
    remedy: "Use another version; `GET /api/v1/workflows/{id}/versions` lists them.",
  },
  method_not_allowed: {
    cause: "The path exists, but not with this HTTP method.",
    remedy: "Use a method of the `Allow` header.",
  },
  conflict: {
    cause:
      "The request conflicts with an existing resource, such as a folder of that name in the same location.",
    remedy: "Read the current state, then choose another name or apply the change to it again.",
  },
  executions_in_progress: {
    cause: "The workflow has runs that are not finished, so it cannot be deleted.",
    remedy: "Wait for them or cancel them, then delete.",
  },
  idempotency_conflict: {
    cause: "This `Idempotency-Key` was used within the last 24 hours for a different request.",
    remedy:
      "Repeat the first request unchanged to get its response again, or use a new key for a new request.",
  },
  precondition_failed: {
    cause: "The resource changed since you read it: `If-Match` names an older ETag.",
    remedy: "Read it again, apply your change to the current state, and send it with the new ETag.",
  },
  payload_too_large: {
    cause:
      "The body is larger than this route accepts, or a batch has more inputs than its limit. JSON bodies may have 4 MiB.",
    remedy: "Upload large data as an asset and pass its `asset_path`.",
  },
  unsupported_media_type: {
    cause: "The `Content-Type` is missing or is not accepted by this route.",
    remedy:
      "Send `Content-Type: application/json`, or the type that the reference at `/docs` names for the route.",
  },
  range_not_satisfiable: {
    cause: "The `Range` header asks for bytes beyond the end of the file.",
    remedy: "Ask for a range within the size that `Content-Range` names, or leave the header out.",
  },
  already_terminal: {
    cause: "The run has finished, so there is nothing to cancel.",
    remedy: "Read its result. To run it again, submit it again.",
  },
  invalid_state: {
    cause:
      "The resource's current state does not allow this operation; for example, an archived workflow cannot be published.",
    remedy: "`detail` names the state and the operations that it allows.",
  },
  no_failed_items: {
    cause: "Everything that would be retried has succeeded.",
    remedy:
      'To run some of it again, send `from: "start"`, `from_node`, `version` or `inputs`; for a batch, `include_partial: true` adds the items that completed in part.',
  },
  not_completed: {
    cause: "The raw outputs were asked for before the run was finished.",
    remedy:
      "Poll the run until its status is terminal, or read `/result`, which is available while the run is live.",
  },
  precondition_required: {
    cause:
      "This change needs an `If-Match` header, so that two editors do not overwrite each other's changes.",
    remedy: "Read the resource, and send its `ETag` as `If-Match`.",
  },
  too_many_requests: {
    cause: "More requests than the limit allows in its window.",
    remedy:
      "Wait as many seconds as `Retry-After` says. Reuse a token for its hour, and poll every 3 to 5 seconds.",
  },
  internal_error: {
    cause: "The service failed to process the request.",
    remedy:
      "Try again; with an `Idempotency-Key` a repeat is safe. If it fails again, quote `request_id` to support.",
  },
  service_unavailable: {
    cause: "A part of the service is temporarily unreachable.",
    remedy: "Retry after the seconds in `Retry-After`.",
  },
  ...TEMPLATE_ERROR_GUIDES,
};
