import type { ZipExportObjectApi } from "../../contracts/runs/zip-export.ts";
import type { Env } from "../../platform/env.ts";

/** The object that owns a run's ZIP export. Named by the run's id. */
export function zipExportObject(
  ctx: { readonly env: Pick<Env, "ZIP_EXPORT"> },
  runId: string,
): ZipExportObjectApi {
  return ctx.env.ZIP_EXPORT.get(ctx.env.ZIP_EXPORT.idFromName(runId));
}
