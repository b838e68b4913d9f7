/** Uploads of files: one request up to 16 MiB, above it a session of parts that can be resumed. */
import { ApiFailure, type Clock, type EmbedApi, type SessionView, type StoredFile } from "./api.ts";
import { md5Base64 } from "./md5.ts";

/** Largest file that is sent in one request, in bytes. */
export const ONE_REQUEST_MAX_BYTES = 16 * 1024 * 1024;
/** Attempts of one part before the upload stops, to be resumed by the person. */
const PART_ATTEMPTS = 3;
const RETRY_MS = 1_000;
const ASSEMBLY_POLL_MS = 700;

/** What a later attempt continues with. */
export interface UploadProgress {
  /** Makes a repeat of the same request the same upload. */
  readonly key: string;
  sessionId: string | null;
}

/**
 * Uploads a file, and reports the bytes sent. After a failure, a call with the same `progress` sends only the parts that
 * the service has not received. Throws `ApiFailure` and the abort of the signal.
 */
export async function uploadFile(
  api: EmbedApi,
  clock: Clock,
  file: File,
  progress: UploadProgress,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<StoredFile> {
  if (file.size <= ONE_REQUEST_MAX_BYTES) {
    return await api.uploadFile(file, progress.key, onSent, signal);
  }
  const session = await openOrResume(api, file, progress);
  if (session.status === "pending") {
    if (session.upload_url === undefined) {
      await sendParts(api, clock, file, session, onSent, signal);
    } else {
      await api.putBytes(session.upload_url, session.required_headers ?? {}, file, onSent, signal);
    }
  }
  return await finish(api, clock, session, signal);
}

async function openOrResume(
  api: EmbedApi,
  file: File,
  progress: UploadProgress,
): Promise<SessionView> {
  if (progress.sessionId !== null) {
    try {
      return await api.readSession(progress.sessionId);
    } catch (error) {
      if (!(error instanceof ApiFailure && [404, 410].includes(error.status))) {
        throw error;
      }
      // The session lapsed: begin again, under a key of its own.
    }
  }
  const key = progress.sessionId === null ? progress.key : `${progress.key}-again`;
  const opened = await api.openSession(file.name, file.size, key);
  progress.sessionId = opened.upload_id;
  return opened;
}

async function sendParts(
  api: EmbedApi,
  clock: Clock,
  file: File,
  session: SessionView,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const partBytes = session.part_size_bytes ?? 8 * 1024 * 1024;
  const count = Math.ceil(file.size / partBytes);
  let sent = 0;
  for (let number = 1; number <= count; number += 1) {
    const part = file.slice((number - 1) * partBytes, number * partBytes);
    const isThere = session.parts?.some((one) => one.part_number === number && one.confirmed);
    if (isThere !== true) {
      const before = sent;
      await sendPart(api, clock, session.upload_id, number, part, signal, (bytes) => {
        onSent(before + bytes);
      });
    }
    sent += part.size;
    onSent(sent);
  }
}

async function sendPart(
  api: EmbedApi,
  clock: Clock,
  id: string,
  number: number,
  part: Blob,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<void> {
  const md5 = md5Base64(new Uint8Array(await part.arrayBuffer()));
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      const { upload_url, required_headers } = await api.signPart(id, number, part.size, md5);
      await api.putBytes(upload_url, required_headers, part, onSent, signal);
      return;
    } catch (error) {
      signal.throwIfAborted();
      const isPassing =
        error instanceof ApiFailure &&
        (error.status === 0 || error.status >= 500 || error.status === 429);
      if (!isPassing || attempt >= PART_ATTEMPTS) {
        throw error;
      }
      await clock.wait(RETRY_MS * attempt, signal);
    }
  }
}

async function finish(
  api: EmbedApi,
  clock: Clock,
  session: SessionView,
  signal: AbortSignal,
): Promise<StoredFile> {
  const how = session.upload_url === undefined ? "complete" : "finalize";
  for (;;) {
    signal.throwIfAborted();
    const { status, path, error_code, file_name, content_type, size_bytes } = await api.endSession(
      session.upload_id,
      how,
    );
    if (status === "failed") {
      throw new ApiFailure(error_code ?? "upload_failed", 422);
    }
    if (status === "finalized" && path !== undefined) {
      return { path, name: file_name, content_type, size_bytes: size_bytes ?? 0 };
    }
    await clock.wait(ASSEMBLY_POLL_MS, signal);
  }
}
