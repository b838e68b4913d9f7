import { LIMITS } from "../../lib/limits/limits-table.ts";

/** Lifetime of an access token (docs/contract/access.md#tokens). */
export const TOKEN_LIFETIME_SECONDS = LIMITS.access_token.value / 1000;
