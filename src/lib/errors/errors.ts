/** Every public error code, with its HTTP status and whether a retry can succeed. */
export const ERRORS = {
  invalid_request: { status: 400, retryable: false },
  invalid_id: { status: 400, retryable: false },
  invalid_status: { status: 400, retryable: false },
  invalid_url: { status: 400, retryable: false },
  invalid_options: { status: 400, retryable: false },
  invalid_version: { status: 400, retryable: false },
  invalid_revision: { status: 400, retryable: false },
  invalid_sample_set_id: { status: 400, retryable: false },
  invalid_jti: { status: 400, retryable: false },
  invalid_argument: { status: 400, retryable: false },
  design_page_selection_invalid: { status: 400, retryable: false },
  invalid_idempotency_key: { status: 400, retryable: false },
  missing_idempotency_key: { status: 400, retryable: false },
  validation_error: { status: 400, retryable: false },
  invalid_file: { status: 400, retryable: false },
  invalid_file_type: { status: 400, retryable: false },
  invalid_content: { status: 400, retryable: false },
  content_mismatch: { status: 400, retryable: false },
  unsupported_type: { status: 400, retryable: false },
  invalid_size: { status: 400, retryable: false },
  FONT_INVALID: { status: 400, retryable: false },
  FONT_VARIABLE_UNSUPPORTED: { status: 400, retryable: false },
  FONT_WEB_FORMAT_UNSUPPORTED: { status: 400, retryable: false },
  FONT_COLLECTION_UNSUPPORTED: { status: 400, retryable: false },
  FONT_REGULAR_REQUIRED: { status: 400, retryable: false },
  FONT_DUPLICATE_VARIANT: { status: 400, retryable: false },
  FONT_FAMILY_MISMATCH: { status: 400, retryable: false },
  FONT_LICENSE_ACKNOWLEDGEMENT_REQUIRED: { status: 400, retryable: false },
  workflow_not_published: { status: 400, retryable: false },
  unsupported_grant_type: { status: 400, retryable: false },
  invalid_client: { status: 401, retryable: false },
  unauthorized: { status: 401, retryable: false },
  insufficient_credits: { status: 402, retryable: false },
  endpoint_limit_reached: { status: 402, retryable: false },
  plan_limit_exceeded: { status: 402, retryable: false },
  quota_exceeded: { status: 402, retryable: false },
  forbidden: { status: 403, retryable: false },
  insufficient_scope: { status: 403, retryable: false },
  api_key_required: { status: 403, retryable: false },
  execution_cap_exceeded: { status: 403, retryable: false },
  not_found: { status: 404, retryable: false },
  workflow_not_found: { status: 404, retryable: false },
  version_not_available: { status: 404, retryable: false },
  page_not_found: { status: 404, retryable: false },
  master_not_found: { status: 404, retryable: false },
  sample_set_not_found: { status: 404, retryable: false },
  method_not_allowed: { status: 405, retryable: false },
  conflict: { status: 409, retryable: false },
  archived: { status: 409, retryable: false },
  FONT_FAMILY_ALREADY_EXISTS: { status: 409, retryable: false },
  executions_in_progress: { status: 409, retryable: false },
  idempotency_conflict: { status: 409, retryable: false },
  source_changed: { status: 409, retryable: true },
  window_closing: { status: 409, retryable: false },
  file_not_uploaded: { status: 409, retryable: true },
  outputs_expired: { status: 410, retryable: false },
  upload_expired: { status: 410, retryable: false },
  share_link_closed: { status: 410, retryable: false },
  precondition_failed: { status: 412, retryable: false },
  payload_too_large: { status: 413, retryable: false },
  file_too_large: { status: 413, retryable: false },
  FONT_FILE_TOO_LARGE: { status: 413, retryable: false },
  FONT_FAMILY_TOO_LARGE: { status: 413, retryable: false },
  render_too_large: { status: 413, retryable: false },
  svg_import_too_large: { status: 413, retryable: false },
  unsupported_format: { status: 415, retryable: false },
  unsupported_media_type: { status: 415, retryable: false },
  range_not_satisfiable: { status: 416, retryable: false },
  verification_required: { status: 422, retryable: false },
  delivery_not_retryable: { status: 422, retryable: false },
  ambiguous_table: { status: 422, retryable: false },
  duplicate_column: { status: 422, retryable: false },
  invalid_data: { status: 422, retryable: false },
  row_limit_exceeded: { status: 422, retryable: false },
  already_terminal: { status: 422, retryable: false },
  no_failed_items: { status: 422, retryable: false },
  invalid_state: { status: 422, retryable: false },
  content_invalid: { status: 422, retryable: false },
  svg_import_invalid: { status: 422, retryable: false },
  svg_import_script: { status: 422, retryable: false },
  svg_import_external_reference: { status: 422, retryable: false },
  svg_import_embedded_image: { status: 422, retryable: false },
  svg_import_filter: { status: 422, retryable: false },
  svg_import_text_path: { status: 422, retryable: false },
  svg_import_foreign_object: { status: 422, retryable: false },
  svg_import_animation: { status: 422, retryable: false },
  svg_import_unsupported: { status: 422, retryable: false },
  svg_import_too_many_objects: { status: 422, retryable: false },
  publish_not_ready: { status: 422, retryable: false },
  preview_failed: { status: 422, retryable: false },
  render_failed: { status: 422, retryable: false },
  not_completed: { status: 422, retryable: true },
  precondition_required: { status: 428, retryable: false },
  too_many_requests: { status: 429, retryable: true },
  rate_limited: { status: 429, retryable: true },
  internal_error: { status: 500, retryable: true },
  feature_disabled: { status: 501, retryable: false },
  fetch_failed: { status: 502, retryable: true },
  service_unavailable: { status: 503, retryable: true },
  design_render_busy: { status: 503, retryable: true },
} as const satisfies Record<string, { status: number; retryable: boolean }>;

export type ErrorCode = keyof typeof ERRORS;

/** One field-level problem. `field` is a JSON path (`inputs.headline`, `nodes[3].parameters.expression`). */
export interface FieldError {
  readonly field: string;
  readonly message: string;
  readonly code?: string;
  readonly path?: string;
  readonly node_id?: string;
  readonly suggestion?: string;
}

export interface AppErrorOptions {
  readonly errors?: readonly FieldError[];
  /** Extra public members of the problem document (`example`, `execution_id`). */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Some codes have two statuses by contract (`validation_error` is 422 when publishing). */
  readonly status?: number;
  /** For the log only, never for the caller. */
  readonly cause?: unknown;
}

/** The error class of the service. `message` is public: it has the value, the rule and the fix. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors: readonly FieldError[];
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? ERRORS[code].status;
    this.errors = options.errors ?? [];
    this.members = options.members ?? {};
    this.headers = options.headers ?? {};
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable;
  }
}
