import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { markApiKeyRevoked } from "../../storage/d1/api-key-store.ts";
import { forgetKey } from "../auth/key-state.ts";

/**
 * Revokes a key: it gets no new tokens, and its current ones stop working within 60 s everywhere,
 * in this isolate at once. Revoking it again has no effect. Throws `not_found`.
 */
export async function revokeApiKey(ctx: AppContext, keyId: string): Promise<void> {
  if (!(await markApiKeyRevoked(ctx.env.DB, keyId, ctx.nowMs()))) {
    throw new AppError("not_found", `There is no API key ${keyId}.`);
  }
  forgetKey(keyId);
}
