import { WorkerEntrypoint } from "cloudflare:workers";
import { EXPORT_ENTRIES } from "../../../durable-objects/batch-export/export-entries.ts";
import { parseEntries } from "../../../durable-objects/shared/entries.ts";
import type {
  BatchExport,
  BatchExportsApi,
  ExportRequest,
} from "../../contracts/batches/batch-export.ts";
import type { Result } from "../../lib/result.ts";
import { isRunnerEnvUsable } from "../../platform/check-env.ts";
import type { RunnerEnv } from "../../platform/env.ts";
import { batchExportObject } from "../../storage/objects/batch-export-object.ts";

type Asked<M extends keyof BatchExportsApi> = Parameters<BatchExportsApi[M]>[0];

/** The exports of batches for the API Worker, through its binding BATCH_EXPORTS. */
export class BatchExports extends WorkerEntrypoint<RunnerEnv> implements BatchExportsApi {
  async request(
    request: ExportRequest,
  ): Promise<Result<{ existed: boolean; status: BatchExport }>> {
    return await this.#of(request).request(request);
  }

  async status(request: Asked<"status">): Promise<BatchExport> {
    return await this.#of(request).status(request);
  }

  async fileKey(request: Asked<"fileKey">): Promise<string | null> {
    return await this.#of(request).fileKey(request);
  }

  #of({ batch_id, format }: Asked<"status">): BatchExportsApi {
    return batchExportObject(this.env, batch_id, format);
  }
}

parseEntries<BatchExportsApi>(BatchExports, isRunnerEnvUsable, EXPORT_ENTRIES);
