import { AppError } from "../../lib/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { markApiKeyRevoked } from "../../storage/d1/api-key-store.ts";
import { forgetKey } from "../auth/key-state.ts";

/**
 * Revokes a key: no new tokens from now on, and its live ones stop within 60 s everywhere, at once
 * here. Revoking again changes nothing. Throws `not_found`.
 */
export async function revokeApiKey(ctx: AppContext, keyId: string): Promise<void> {
  if (!(await markApiKeyRevoked(ctx.env.DB, keyId, ctx.nowMs()))) {
    throw new AppError("not_found", `There is no API key ${keyId}.`);
  }
  forgetKey(keyId);
}
