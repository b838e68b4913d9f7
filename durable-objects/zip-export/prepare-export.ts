import type {
  RunExportApi,
  RunExportPage,
  ZipRequest,
} from "../../src/contracts/runs/zip-export.ts";
import { EntryNames } from "../../src/domain/exports/entry-names.ts";
import { ArchiveLayout } from "../../src/domain/exports/archive-layout.ts";
import { unwrap } from "../../src/lib/result.ts";
import { safeFileName } from "../../src/lib/files/safe-file-name.ts";
import type { ZipStore } from "./zip-store.ts";

/**
 * Lists the run's outputs, names them and distributes them over archives. After an interruption it starts again: the
 * run returns the same outputs. If the export ends meanwhile, nothing is stored. Rethrows errors of the run object.
 */
export async function prepareExport(
  store: ZipStore,
  run: RunExportApi,
  archiveBytesMax?: number,
): Promise<void> {
  const { request } = store;
  const names = new EntryNames();
  const layout = new ArchiveLayout(archiveBytesMax);
  store.clearPreparation();
  let seq = 0;
  let from: { readonly position: number; readonly ord: number } | null = { position: 0, ord: 0 };
  while (from !== null) {
    const page: RunExportPage = unwrap(
      await run.exportEntries({ v: 1, workspace_id: request.workspace_id, from }),
    );
    if (store.phase !== "planning") {
      // The export ended during the call: rows written now would never be deleted.
      return;
    }
    const entries = page.entries.map((entry) => ({
      seq: ++seq,
      name: names.nameOf(entry),
      size_bytes: entry.size_bytes,
      key: entry.file?.key ?? null,
      node: entry.node,
      ord: entry.ord,
    }));
    store.addEntries(
      entries,
      entries.map(({ name, size_bytes }) => layout.add(name, size_bytes)),
    );
    from = page.next;
    // Lets polls in.
    await scheduler.wait(0);
  }
  const { archives } = layout;
  store.finishPreparation(
    archives.map((archive, index) => ({
      ...archive,
      key: archiveKey(request, index + 1, archives.length),
    })),
  );
}

/** Below the run's outputs, with 256 random bits like theirs, so that the files route serves it. */
function archiveKey(request: ZipRequest, index: number, total: number): string {
  const token = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
  const part = total === 1 ? "" : `-part-${String(index)}-of-${String(total)}`;
  const name = safeFileName(request.workflow_name.slice(0, 60), "outputs").replaceAll("%", "_");
  return `${request.workspace_id}/runs/${request.run_id}/${token}/${name}-${request.run_id.slice(-8)}${part}.zip`;
}
