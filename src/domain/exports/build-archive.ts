import { makeZip } from "client-zip";
import type {
  StoredFile,
  ZipClaim,
  ZipEntry,
  ZipProgress,
} from "../../contracts/runs/zip-export.ts";
import { openStored } from "../../storage/r2/open-stored.ts";
import type { FileRun } from "./file-run.ts";

/**
 * Size of an upload's parts. R2 requires the same size for all but the last, 5 MiB or more; two are
 * held at once.
 */
export const UPLOAD_PART_BYTES = 8 * 1024 * 1024;
/** Two parts, and the data in transfer between them and the store. */
export const BUILD_BYTES = 3 * UPLOAD_PART_BYTES;
/** A third of the lease: while uploaded parts are skipped, no part is reported. */
const ALIVE_EVERY_MS = 5_000;

/** A file to be exported no longer exists. The message is for the caller. */
export class ExportSourceError extends Error {
  override readonly name = "ExportSourceError";
}

/** The lease has ended: another builder continues. */
export class LeaseOverError extends Error {
  override readonly name = "LeaseOverError";
}

export interface BuildEntry extends ZipEntry {
  /** Its bytes, or their location in R2; null if they are missing. */
  readonly source: Uint8Array | StoredFile | null;
  /** The next bytes that are stored in R2; null if they are read from the bucket one by one. */
  readonly run: FileRun | null;
}

export interface BuildTools {
  readonly bucket: R2Bucket;
  /** The archive's files in order. */
  readonly entries: AsyncIterable<BuildEntry>;
  /** Throws LeaseOverError if the lease has ended. */
  report(progress: ZipProgress): Promise<void>;
  readonly nowMs: () => number;
  /** Lets other waiters have the memory of two parts; called while none is held. */
  yieldMemory(): Promise<void>;
  /** Whether others wait for memory. */
  readonly isMemoryWanted: () => boolean;
}

/**
 * Streams one archive into R2, with at most two parts of it in memory. The same files create the
 * same bytes, so an interrupted build continues after its uploaded parts. Throws ExportSourceError
 * if a file is missing or differs from its description.
 */
export async function buildArchive(claim: ZipClaim, tools: BuildTools): Promise<void> {
  if (claim.size_bytes <= UPLOAD_PART_BYTES) {
    await putWhole(claim, tools);
  } else {
    await uploadParts(claim, tools);
  }
  await tools.report({ kind: "completed" });
}

const NO_BYTES = new Uint8Array(0);
const OPTIONS = { httpMetadata: { contentType: "application/zip" } };

async function putWhole(claim: ZipClaim, tools: BuildTools): Promise<void> {
  const bytes = new Uint8Array(claim.size_bytes);
  let at = 0;
  for await (const chunk of archiveBytes(claim, tools)) {
    if (at + chunk.byteLength <= bytes.byteLength) {
      bytes.set(chunk, at);
    }
    at += chunk.byteLength;
  }
  requireSize(at, claim);
  await tools.bucket.put(claim.key, bytes, OPTIONS);
}

async function uploadParts(claim: ZipClaim, tools: BuildTools): Promise<void> {
  const { bucket } = tools;
  const sent = claim.parts.map(({ number, etag }) => ({ partNumber: number, etag }));
  let upload: R2MultipartUpload;
  if (claim.upload_id === null) {
    upload = await bucket.createMultipartUpload(claim.key, OPTIONS);
    await tools.report({ kind: "begun", upload_id: upload.uploadId });
  } else {
    upload = bucket.resumeMultipartUpload(claim.key, claim.upload_id);
  }
  let sending: Promise<void> | undefined;
  const send = async (bytes: Uint8Array) => {
    await sending;
    await scheduler.wait(0);
    const number = sent.length + 1;
    const sentBytes = sent.length * UPLOAD_PART_BYTES + bytes.byteLength;
    sending = upload.uploadPart(number, bytes).then(async (part) => {
      sent.push(part);
      await tools.report({ kind: "part", number, etag: part.etag, sent_bytes: sentBytes });
    });
    // Its error is thrown by the next await; until then, nothing awaits it.
    sending.catch(() => undefined);
  };
  const skip = sent.length * UPLOAD_PART_BYTES;
  if (skip < claim.size_bytes) {
    let at = 0;
    let buffer = new Uint8Array(UPLOAD_PART_BYTES);
    let filled = 0;
    for await (const chunk of archiveBytes(claim, tools)) {
      const start = Math.min(Math.max(skip - at, 0), chunk.byteLength);
      at += chunk.byteLength;
      for (let from = start; from < chunk.byteLength;) {
        const count = Math.min(chunk.byteLength - from, buffer.byteLength - filled);
        buffer.set(chunk.subarray(from, from + count), filled);
        filled += count;
        from += count;
        if (filled === buffer.byteLength) {
          await send(buffer);
          if (tools.isMemoryWanted()) {
            await sending;
            buffer = NO_BYTES;
            await tools.yieldMemory();
          }
          buffer = new Uint8Array(UPLOAD_PART_BYTES);
          filled = 0;
        }
      }
    }
    requireSize(at, claim);
    if (filled > 0) {
      await send(buffer.subarray(0, filled));
    }
    await sending;
  }
  try {
    await upload.complete(sent);
  } catch (error) {
    // A build that was interrupted right after this point has completed the upload already.
    if ((await bucket.head(claim.key))?.size !== claim.size_bytes) {
      throw error;
    }
  }
}

/** The archive from its first byte. Reports regularly that the builder is alive. */
async function* archiveBytes(claim: ZipClaim, tools: BuildTools): AsyncGenerator<Uint8Array> {
  const modified = new Date(claim.modified_ms);
  let open: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const files = async function* () {
    for await (const { name, size_bytes: size, source, run } of tools.entries) {
      if (source === null || source instanceof Uint8Array) {
        if (source?.byteLength !== size) {
          throw gone(name);
        }
        yield { name, input: source, size, lastModified: modified };
        continue;
      }
      if (run !== null) {
        yield { name, input: run.take(size, () => gone(name)), size, lastModified: modified };
        continue;
      }
      const body = await openStored(tools.bucket, source);
      if (body === null) {
        throw gone(name);
      }
      open = body.getReader();
      yield { name, input: piecesOf(open), size, lastModified: modified };
    }
  };
  let aliveAtMs = tools.nowMs();
  const reader = makeZip(files()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      yield value;
      const nowMs = tools.nowMs();
      if (nowMs - aliveAtMs >= ALIVE_EVERY_MS) {
        aliveAtMs = nowMs;
        await tools.report({ kind: "alive" });
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
    // client-zip leaves the current file open.
    await open?.cancel().catch(() => undefined);
  }
}

async function* piecesOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    yield value;
  }
}

function requireSize(sizeBytes: number, claim: ZipClaim): void {
  if (sizeBytes !== claim.size_bytes) {
    throw new Error(`archive of ${sizeBytes} bytes, planned with ${claim.size_bytes}`);
  }
}

function gone(name: string): ExportSourceError {
  return new ExportSourceError(
    `The output "${name}" can no longer be read; its retention may have ended. Run the workflow again to get its outputs.`,
  );
}
