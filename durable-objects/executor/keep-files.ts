import { FileRef } from "../../src/lib/file-ref.ts";
import type { NodeOutputs, RunValue } from "../../src/nodes/define-ports.ts";
import { copyTaskFile } from "../../src/storage/r2/copy-task-file.ts";

/**
 * An output's files, each that another run or an upload made copied to this run's own: deleting an
 * asset changes no past output (docs/contract/assets.md#files). `filePrefix` is `{workspace}/runs/{run}/{token}/`.
 */
export async function keepFiles(
  outputs: NodeOutputs,
  bucket: R2Bucket,
  workspaceId: string,
  filePrefix: string,
): Promise<NodeOutputs> {
  const ownPrefix = filePrefix.split("/", 3).join("/");
  const kept = new Map<string, RunValue>();
  for (const [port, value] of outputs) {
    const isForeign = value instanceof FileRef && !value.key.startsWith(`${ownPrefix}/`);
    kept.set(port, isForeign ? await copyTaskFile(bucket, workspaceId, value, filePrefix) : value);
  }
  return kept;
}
