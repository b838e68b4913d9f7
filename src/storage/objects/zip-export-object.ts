import type { ZipExportObjectApi } from "../../contracts/zip-export.ts";
import type { Env } from "../../platform/env.ts";

/** The object that owns a run's ZIP export. Named by the run's id. */
export function zipExportObject(
  ctx: { readonly env: Pick<Env, "ZIP_EXPORT"> },
  runId: string,
): ZipExportObjectApi {
  // As in `run-object.ts`: the contract instead of the generated stub type.
  return ctx.env.ZIP_EXPORT.get(
    ctx.env.ZIP_EXPORT.idFromName(runId),
  ) as unknown as ZipExportObjectApi;
}
