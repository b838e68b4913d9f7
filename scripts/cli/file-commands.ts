/** Commands that send and save files. */
import { createHash } from "node:crypto";
import { createWriteStream, openAsBlob } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Asset } from "../../src/contracts/files/asset.ts";
import type { PartGrant, UploadSession } from "../../src/contracts/files/upload.ts";
import { ProgressBar } from "../progress-bar.ts";
import { required, textOf, UsageError } from "./arguments.ts";
import type { Given } from "./command.ts";
import { ProblemError, type Session } from "./session.ts";

/** Larger files are uploaded in parts, so that an interrupted upload can be resumed. */
const SINGLE_BYTES_MAX = 16 * 1024 * 1024;
const FINALIZE_POLL_MS = 300;

/** Uploads a file. The same command resumes an interrupted upload. */
export async function uploadFile(session: Session, { args, flags }: Given): Promise<unknown> {
  return await storeFile(session, required(args[0], "FILE"), textOf(flags, "name"));
}

/** Uploads a file, and returns the asset. `given`: its name there; that of the file if undefined. */
export async function storeFile(
  session: Session,
  file: string,
  given?: string,
): Promise<{ readonly path?: string | undefined }> {
  const name = given ?? basename(file);
  const { size, mtimeMs } = await stat(file).catch(() => {
    throw new UsageError(`${file} cannot be read.`);
  });
  if (size <= SINGLE_BYTES_MAX) {
    const form = new FormData();
    form.set("file", await openAsBlob(file), name);
    return session.call<Asset>("POST", "/api/v1/assets", { body: form });
  }
  const upload = await openUpload(session, name, size, [resolve(file), name, size, mtimeMs]);
  return sendParts(session, upload, file, size);
}

/**
 * Returns the session of this exact file, which an earlier call may have opened. If that session failed, or its asset
 * was deleted since, the key of the next session includes its id, so that a repeat finds the next one.
 */
async function openUpload(
  session: Session,
  name: string,
  size: number,
  identity: readonly unknown[],
): Promise<UploadSession> {
  const key = createHash("sha256").update(JSON.stringify(identity)).digest("hex");
  const upload = await session.call<UploadSession>("POST", "/api/v1/assets/uploads", {
    json: { file_name: name, size_bytes: size, upload_mode: "multipart" },
    headers: { "idempotency-key": key },
  });
  const isOver =
    upload.status === "failed" ||
    (upload.status === "finalized" && !(await isStored(session, upload.path ?? "")));
  return isOver ? openUpload(session, name, size, [...identity, upload.upload_id]) : upload;
}

async function isStored(session: Session, path: string): Promise<boolean> {
  try {
    await session.call("GET", `/api/v1/assets/download-url?path=${encodeURIComponent(path)}`);
    return true;
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) {
      return false;
    }
    throw error;
  }
}

async function sendParts(
  session: Session,
  made: UploadSession,
  file: string,
  size: number,
): Promise<UploadSession> {
  const path = `/api/v1/assets/uploads/${made.upload_id}`;
  const bar = new ProgressBar(process.stderr);
  let upload = await session.call<UploadSession>("GET", path);
  const partBytes = upload.part_size_bytes ?? size;
  const missing = (upload.parts ?? []).filter(({ confirmed }) => !confirmed);
  let sentBytes = size - missing.reduce((sum, part) => sum + bytesOf(part.part_number), 0);
  function bytesOf(part: number): number {
    return Math.min(partBytes, size - (part - 1) * partBytes);
  }
  const show = () => {
    bar.show(
      Math.floor((sentBytes / size) * 100),
      `${megabytes(sentBytes)} of ${megabytes(size)} MB`,
    );
  };
  if (upload.status === "pending") {
    const handle = await open(file);
    try {
      const queue = [...missing];
      const workers = Array.from({ length: upload.recommended_parallel_parts ?? 1 }, async () => {
        for (let part = queue.shift(); part !== undefined; part = queue.shift()) {
          await sendPart(
            session,
            path,
            handle,
            part.part_number,
            bytesOf(part.part_number),
            partBytes,
          );
          sentBytes += bytesOf(part.part_number);
          show();
        }
      });
      await Promise.all(workers);
    } finally {
      await handle.close();
    }
    upload = await session.call<UploadSession>("POST", `${path}:complete`);
  }
  while (upload.status === "in_progress") {
    await sleep(FINALIZE_POLL_MS);
    upload = await session.call<UploadSession>("GET", path);
  }
  bar.end();
  if (upload.status !== "finalized") {
    process.exitCode = 1;
  }
  return upload;
}

async function sendPart(
  session: Session,
  path: string,
  handle: Awaited<ReturnType<typeof open>>,
  part: number,
  size: number,
  partBytes: number,
): Promise<void> {
  const bytes = Buffer.alloc(size);
  const { bytesRead } = await handle.read(bytes, 0, size, (part - 1) * partBytes);
  if (bytesRead !== size) {
    throw new Error(
      `Part ${part} could not be read: the file has become shorter. Upload it again.`,
    );
  }
  const { parts } = await session.call<{ parts: PartGrant[] }>("POST", `${path}/parts:sign`, {
    json: {
      parts: [
        {
          part_number: part,
          size_bytes: size,
          checksum_base64: createHash("md5").update(bytes).digest("base64"),
        },
      ],
    },
  });
  const [grant] = parts;
  const response = await fetch(grant?.upload_url ?? "", {
    method: "PUT",
    headers: grant?.required_headers ?? {},
    body: bytes,
  });
  if (!response.ok) {
    throw new Error(
      `Part ${part} was refused with HTTP ${response.status}: ${await response.text()}`,
    );
  }
  await response.body?.cancel();
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

/** Saves the bytes of a response to a file, or prints them without `--output`. */
export async function saveBytes(
  response: Response,
  file: string | undefined,
): Promise<{ readonly file: string; readonly size_bytes: number } | undefined> {
  if (response.body === null) {
    return undefined;
  }
  const stream = Readable.fromWeb(response.body as never);
  if (file === undefined) {
    await pipeline(stream, process.stdout, { end: false });
    return undefined;
  }
  await pipeline(stream, createWriteStream(file));
  return { file, size_bytes: (await stat(file)).size };
}

/** Sends the files of a family, one per variant, as one form. */
export async function uploadFonts(
  session: Session,
  { args, flags }: Given,
  path: string,
): Promise<unknown> {
  if (args.length === 0) {
    throw new UsageError("FILE is missing.");
  }
  if (flags["accept-license"] !== true) {
    throw new UsageError(
      "--accept-license is missing. It confirms that the license of the font allows this use.",
    );
  }
  const form = new FormData();
  form.set("displayName", required(textOf(flags, "name"), "--name"));
  form.set("category", required(textOf(flags, "category"), "--category"));
  form.set("licenseAcknowledged", "true");
  const fallback = textOf(flags, "fallback");
  if (fallback !== undefined) {
    form.set("systemFallbackFamilyGuid", fallback);
  }
  for (const file of args) {
    form.append("files", await openAsBlob(file), basename(file));
  }
  return session.call("POST", path, { body: form });
}
