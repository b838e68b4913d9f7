import type { Env } from "../../platform/env.ts";

/** The object that owns a batch and its items, named by the batch's id. */
export function batchObject(ctx: { readonly env: Pick<Env, "BATCH"> }, batchId: string) {
  return ctx.env.BATCH.get(ctx.env.BATCH.idFromName(batchId));
}
