/** Why an embed page shows nothing: `<meta name="svc-error">` and the message `svc:error` (docs/embeds.md#errors). */
export const PAGE_ERRORS = {
  token_missing: 401,
  token_invalid: 401,
  token_expired: 401,
  token_revoked: 401,
  embed_disabled: 402,
  workflow_mismatch: 403,
  interface_mismatch: 403,
  wrong_token_type: 403,
  forbidden: 403,
  interface_not_found: 404,
  workflow_not_available: 404,
  missing_name: 400,
  too_many_requests: 429,
  internal_error: 500,
} as const satisfies Readonly<Record<string, number>>;

export type PageError = keyof typeof PAGE_ERRORS;
