import { LIMITS } from "../../lib/limits-table.ts";

/** How long an access token lasts (docs/contract/access.md#tokens). */
export const TOKEN_LIFETIME_SECONDS = LIMITS.access_token.value / 1000;
