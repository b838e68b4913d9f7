import type {
  ZipBuildApi,
  ZipExportObjectApi,
  ZipProgress,
  ZipRequest,
} from "../../src/contracts/runs/zip-export.ts";
import {
  flag,
  integer,
  literal,
  object,
  text,
  variants,
  version,
  whole,
} from "../../src/lib/json/shape.ts";
import type { Entries } from "../shared/entries.ts";
import { ofWorkspace } from "../shared/entry-shapes.ts";

const v = version(1);

type Progress<Kind> = Extract<ZipProgress, { kind: Kind }>;

const progress = variants<ZipProgress, "kind">("kind", {
  alive: object<Progress<"alive">>({ kind: literal("alive") }),
  begun: object<Progress<"begun">>({ kind: literal("begun"), upload_id: text }),
  part: object<Progress<"part">>({
    kind: literal("part"),
    number: whole,
    etag: text,
    sent_bytes: whole,
  }),
  completed: object<Progress<"completed">>({ kind: literal("completed") }),
  failed: object<Progress<"failed">>({
    kind: literal("failed"),
    message: text,
    is_retryable: flag,
  }),
});

export const ZIP_EXPORT_ENTRIES: Entries<ZipExportObjectApi> = {
  request: [
    object<ZipRequest>({
      v,
      run_id: text,
      workspace_id: text,
      workflow_name: text,
      run_completed_at_ms: whole,
    }),
  ],
  status: [ofWorkspace],
  end: [ofWorkspace],
  archiveKey: [
    object<Parameters<ZipExportObjectApi["archiveKey"]>[0]>({
      v,
      workspace_id: text,
      zip_id: whole,
    }),
  ],
  claim: [object<{ v: 1 }>({ v })],
  entries: [
    object<Parameters<ZipBuildApi["entries"]>[0]>({
      v,
      zip_id: whole,
      after_seq: integer,
      limit: whole,
    }),
  ],
  report: [object<Parameters<ZipBuildApi["report"]>[0]>({ v, fence: integer, progress })],
};
