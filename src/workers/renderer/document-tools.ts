import { createHash } from "node:crypto";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { TaskCall } from "../../nodes/define-tools.ts";
import type { DocumentTools } from "../../nodes/define-template-tools.ts";
import type { TaskFiles } from "../shared/node-context.ts";
import { mergePdfs } from "../../render/pdf/merge/merge-pdfs.ts";
import { mergeMemoryOf, readMerged } from "./read-merged.ts";
import { gateOf } from "./render-gate.ts";
import { withMemory } from "./render-memory.ts";

/** Its object streams, and a part that waits for the store: fonts that are kept make room for them. */
const MERGE_BYTES_MIN = LIMITS.merged_objects.value + 8 * 1024 * 1024;

/** The attempt of a task that uses the tools. */
export interface DocumentScope {
  readonly workspaceId: string;
  readonly executor: object;
  readonly signal: AbortSignal;
}

/** The same of a task that prints pictures. */
export type TemplateScope = DocumentScope & {
  readonly task: Pick<TaskCall, "countColors" | "noteFetched">;
};

/**
 * Tools for whole documents. Their work waits for its turn in the isolate and takes memory then, like a render.
 */
export function createDocumentTools(scope: DocumentScope, files: TaskFiles): DocumentTools {
  const { workspaceId, executor, signal } = scope;
  return {
    merge: (documents, fileName) =>
      gateOf(executor, workspaceId).inTurn({ mayQueue: true, signal }, () => {
        const bytes =
          MERGE_BYTES_MIN + Math.max(...documents.map(({ sizeBytes }) => mergeMemoryOf(sizeBytes)));
        return withMemory(bytes, () => merge(documents, fileName, files));
      }),
  };
}

async function merge(
  documents: Parameters<DocumentTools["merge"]>[0],
  fileName: string,
  files: TaskFiles,
): ReturnType<DocumentTools["merge"]> {
  const digest = createHash("sha256");
  // Names the file: the writer reads it once all documents are copied.
  const id = new Uint8Array(32);
  async function* read() {
    for (const [index, document] of documents.entries()) {
      const name = `Document ${index + 1} ("${document.name}")`;
      const { sha256, ...read } = await readMerged(document, name, files);
      digest.update(sha256);
      if (index === documents.length - 1) {
        id.set(digest.digest());
      }
      yield read;
    }
  }
  return await files.writePdf(fileName, mergePdfs(read(), id));
}
