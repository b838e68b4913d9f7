import type { ErrorCode } from "./errors.ts";

export interface ErrorGuide {
  /** What happened, in the caller's terms. */
  readonly cause: string;
  /** What the caller does about it. */
  readonly mend: string;
}

/** What each error page says (decisions §12). Exhaustive by type: a new code needs its guide. */
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
