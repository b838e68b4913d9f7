import type { DatasetManifest, DatasetOptions, DatasetProfile } from "../../contracts/dataset.ts";
import { profileDataset } from "../../datasets/profile/profile-dataset.ts";
import { RowWriter } from "../../datasets/rows/row-writer.ts";
import { canonicalJson } from "../../lib/json/canonical-json.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import { openFileSource } from "../../storage/r2/open-file-source.ts";
import { asNodeError } from "./as-node-error.ts";

/** Stores one object among an attempt's own files and returns its key. */
type WriteObject = (name: string, bytes: Uint8Array) => Promise<string>;

/**
 * Reads a stored file once as a table: returns its profile and stores its rows as chunks that can
 * be read and verified separately. Memory is bounded for files of any size. Throws NodeError.
 */
export async function storeDataset(
  bucket: R2Bucket,
  workspaceId: string,
  file: FileRef,
  options: DatasetOptions,
  write: WriteObject,
): Promise<{ readonly manifest: DatasetManifest; readonly profile: DatasetProfile }> {
  try {
    const source = await openFileSource(bucket, workspaceId, file);
    let writer = new RowWriter(write);
    const { profile, present } = await profileDataset(source, file.name, options, () => {
      writer = new RowWriter(write);
      return writer;
    });
    const { format, table, columns, row_count } = profile;
    // Derived from the bytes and the options, so that rows keep their ids from run to run.
    const { sampleRows: _shown, ...reading } = options;
    const digest = await sha256Hex(canonicalJson({ etag: source.etag, ...reading }));
    const datasetId = `ds_${digest.slice(0, 32)}`;
    return {
      profile,
      manifest: {
        schema: "svc.dataset/v1",
        dataset_id: datasetId,
        format,
        table,
        locale: options.locale,
        row_count,
        columns: columns.map(({ name, type }, index) => ({
          name,
          type,
          present: present[index] ?? 0,
        })),
        source: { name: file.name, size_bytes: source.sizeBytes, etag: source.etag },
        row_store: await writer.finish(datasetId),
      },
    };
  } catch (error) {
    throw asNodeError(error);
  }
}
