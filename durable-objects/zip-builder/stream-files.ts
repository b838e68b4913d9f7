import type { StoredFile } from "../../src/contracts/runs/zip-export.ts";
import { openStored } from "../../src/storage/r2/open-stored.ts";

/** The files' bytes, one after the other. The stream ends before a file that is gone or has another size. */
export function streamFiles(
  bucket: R2Bucket,
  files: readonly StoredFile[],
  background: (work: Promise<void>) => void,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  background(
    send(bucket, files, writable).catch(async (error: unknown) => {
      await writable.abort(error).catch(() => undefined);
    }),
  );
  return readable;
}

async function send(
  bucket: R2Bucket,
  files: readonly StoredFile[],
  writable: WritableStream<Uint8Array>,
): Promise<void> {
  for (const file of files) {
    const body = await openStored(bucket, file);
    if (body === null) {
      break;
    }
    await body.pipeTo(writable, { preventClose: true });
  }
  await writable.close();
}
