import type { UploadMetadata, UploadObjectApi } from "../../src/contracts/files/upload.ts";
import { flag, literal, nullable, object, text, version, whole } from "../../src/lib/json/shape.ts";
import type { Entries } from "../shared/entries.ts";

const v = version(1);
const ofWorkspace = object<{ v: 1; workspace_id: string }>({ v, workspace_id: text });
const part = { v, part: nullable(whole) };

export const UPLOAD_ENTRIES: Entries<UploadObjectApi> = {
  create: [
    object<{ v: 1; facts: UploadMetadata }>({
      v,
      facts: object<UploadMetadata>({
        v,
        upload_id: text,
        workspace_id: text,
        name: text,
        extension: text,
        content_type: text,
        kind: text,
        path: text,
        size_bytes: whole,
        strategy: literal("single_put", "multipart"),
        total_parts: whole,
        is_direct: flag,
        key: text,
        copy_key: text,
        r2_upload_id: nullable(text),
        created_at_ms: whole,
        finalize_expires_at_ms: whole,
      }),
    }),
  ],
  read: [ofWorkspace],
  beginPut: [object<{ v: 1; part: number | null }>(part)],
  commitPut: [
    object<Parameters<UploadObjectApi["commitPut"]>[0]>({
      ...part,
      key: text,
      etag: text,
      size_bytes: whole,
    }),
  ],
  finalize: [ofWorkspace],
  complete: [ofWorkspace],
  abort: [ofWorkspace],
};
