import { createHash } from "node:crypto";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { FileTools } from "../../nodes/define-file-tools.ts";
import type { DocumentTools } from "../../nodes/define-template-tools.ts";
import { gateOf } from "./render-gate.ts";
import { withMemory } from "./render-memory.ts";

/** A document's bytes, and what is copied of them. */
const MERGE_COPIES = 2;
/** Its object streams, and a part that waits for the store: fonts that are kept make room for them. */
const MERGE_BYTES_MIN = LIMITS.merged_objects.value + 8 * 1024 * 1024;
const FILE_BYTES_MAX = LIMITS.read_file.value;

/** The attempt of a task that uses the tools. */
export interface DocumentScope {
  readonly workspaceId: string;
  readonly executor: object;
  readonly signal: AbortSignal;
}

/**
 * Tools for whole documents. Their work waits for its turn in the isolate and takes memory then, like a render.
 */
export function createDocumentTools(scope: DocumentScope, files: FileTools): DocumentTools {
  const { workspaceId, executor, signal } = scope;
  return {
    merge: (documents, fileName) =>
      gateOf(executor, workspaceId).inTurn({ mayQueue: true, signal }, () => {
        const largest = Math.max(...documents.map(({ sizeBytes }) => sizeBytes));
        const bytes = MERGE_BYTES_MIN + MERGE_COPIES * Math.min(largest, FILE_BYTES_MAX);
        return withMemory(bytes, () => merge(documents, fileName, files));
      }),
  };
}

async function merge(
  documents: Parameters<DocumentTools["merge"]>[0],
  fileName: string,
  files: FileTools,
): ReturnType<DocumentTools["merge"]> {
  const digest = createHash("sha256");
  // Names the file: the writer reads it once all documents are copied.
  const id = new Uint8Array(32);
  async function* read() {
    for (const [index, document] of documents.entries()) {
      const bytes = await files.read(document);
      digest.update(createHash("sha256").update(bytes).digest());
      if (index === documents.length - 1) {
        id.set(digest.digest());
      }
      yield { name: `Document ${index + 1} ("${document.name}")`, bytes };
    }
  }
  // Evaluated at the first merge: the library takes a third of the time in which this Worker starts.
  const { mergePdfs } = await import("../../render/pdf/merge/merge-pdfs.ts");
  return await files.write(fileName, "application/pdf", mergePdfs(read(), id));
}
