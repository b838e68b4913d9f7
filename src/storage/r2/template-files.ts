/** The files of published revisions: each revision has a folder of its own, which never changes. */
import { assertWorkspaceKey } from "./assert-workspace-key.ts";

export type TemplateFile = "document" | "contract";

const FILES: readonly TemplateFile[] = ["document", "contract"];

export const templateFileKey = (folder: string, file: TemplateFile) => `${folder}${file}.json`;

/** A new folder for a revision. It becomes part of a template when its publication is committed. */
export function newTemplateFolder(workspaceId: string, templateId: string): string {
  return `${workspaceId}/templates/${templateId}/${crypto.randomUUID()}/`;
}

/** Writes the files of a revision, UTF-8 JSON. */
export async function putTemplateFiles(
  bucket: R2Bucket,
  folder: string,
  files: Readonly<Record<TemplateFile, Uint8Array>>,
): Promise<void> {
  await Promise.all(
    FILES.map((file) =>
      bucket.put(templateFileKey(folder, file), files[file], {
        httpMetadata: { contentType: "application/json" },
      }),
    ),
  );
}

/** Returns a file's text; undefined if it is gone. */
export async function readTemplateFile(
  bucket: R2Bucket,
  workspaceId: string,
  folder: string,
  file: TemplateFile,
): Promise<string | undefined> {
  assertWorkspaceKey(workspaceId, folder);
  const object = await bucket.get(templateFileKey(folder, file));
  return object === null ? undefined : await object.text();
}

/** Deletes the files of a revision that was not committed. */
export async function deleteTemplateFiles(bucket: R2Bucket, folder: string): Promise<void> {
  await bucket.delete(FILES.map((file) => templateFileKey(folder, file)));
}

/** Key of a draft as runs keep it, by the hash of its content. */
export function draftFileKey(workspaceId: string, templateId: string, contentHash: string): string {
  return `${workspaceId}/templates/${templateId}/drafts/${contentHash}.json`;
}

/** Stores a draft's document, UTF-8 JSON, unless it is there: its key names its content. */
export async function putDraftFile(
  bucket: R2Bucket,
  key: string,
  content: Uint8Array,
): Promise<void> {
  if ((await bucket.head(key)) === null) {
    await bucket.put(key, content, { httpMetadata: { contentType: "application/json" } });
  }
}
