import { WorkerEntrypoint } from "cloudflare:workers";
import { parseEntries } from "../../../durable-objects/shared/entries.ts";
import type { FileTypeRequest, FileTypesApi } from "../../contracts/files/file-types.ts";
import { detectType } from "../../formats/detect-type.ts";
import { SNIFF_BYTES } from "../../formats/sniff-file.ts";
import { bytes, object, version } from "../../lib/json/shape.ts";
import { isRunnerEnvUsable } from "../../platform/check-env.ts";
import type { RunnerEnv } from "../../platform/env.ts";

/** Detects types of files for the API Worker, which has no detector, through its binding FILE_TYPES. */
export class FileTypes extends WorkerEntrypoint<RunnerEnv> implements FileTypesApi {
  async detect({ head }: FileTypeRequest): Promise<string | null> {
    return (await detectType(head.subarray(0, SNIFF_BYTES))) ?? null;
  }
}

parseEntries<FileTypesApi>(FileTypes, isRunnerEnvUsable, {
  detect: [object<FileTypeRequest>({ v: version(1), head: bytes })],
});
