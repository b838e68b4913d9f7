/** Uploads to a service that is killed: every second one in parts. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { PartGrant, UploadSession } from "../../src/contracts/files/upload.ts";
import type { RunningService } from "../support/node/start-service.ts";

const SINGLE_BYTES = 200_000;
/** One part of 8 MiB, the size that the service requires, and a short one. */
const MULTIPART_BYTES = 9 * 1024 * 1024;
/** An object that was interrupted during validation continues by itself after 15 s. */
const UPLOAD_MAX_MS = 30_000;

export interface LoadedUpload {
  readonly key: string;
  readonly name: string;
  readonly mode: "single_put" | "multipart";
  readonly size: number;
  /** Known once the session's creation was acknowledged. */
  id?: string;
  /** `:complete` was acknowledged: from then on the service must finish by itself. */
  isCompleted?: boolean;
  path?: string;
  /** A large upload after it was verified, so that a thousand of them fit on the disk. */
  isDeleted?: boolean;
}

export function loadedUpload(name: string, mode: LoadedUpload["mode"]): LoadedUpload {
  const size = mode === "multipart" ? MULTIPART_BYTES : SINGLE_BYTES;
  return { key: `upload-${name}`, name: `${name}.csv`, mode, size };
}

/** Continues an upload as far as possible; after a kill it resumes with the same key. */
export async function upload(service: RunningService, file: LoadedUpload): Promise<void> {
  const { client } = service;
  const session = await client.call<UploadSession>("POST", "/api/v1/assets/uploads", {
    headers: { "idempotency-key": file.key },
    body: { file_name: file.name, size_bytes: file.size, upload_mode: file.mode },
  });
  const id = session.upload_id;
  file.id = id;
  if (session.path !== undefined) {
    file.path = session.path;
  } else if (file.mode === "multipart") {
    // A finalize that a kill interrupted is resumed.
    if (session.status === "pending") {
      await putParts(service, id, bytesOf(file), session.part_size_bytes!);
      await client.call("POST", `/api/v1/assets/uploads/${id}:complete`);
    }
    file.isCompleted = true;
    await finalized(file, () => client.call("GET", `/api/v1/assets/uploads/${id}`));
  } else {
    if (session.upload_url !== undefined) {
      await put(session.upload_url, session.required_headers, bytesOf(file));
    }
    await finalized(file, () => client.call("POST", `/api/v1/assets/uploads/${id}/finalize`));
  }
}

/**
 * After a kill. A multipart upload that was completed, whether or not its caller knows, is only polled until its end;
 * all others are sent again. Returns true for the former.
 */
export async function finishUpload(service: RunningService, file: LoadedUpload): Promise<boolean> {
  const look = () => service.client.call<UploadSession>("GET", `/api/v1/assets/uploads/${file.id}`);
  if (file.mode === "single_put" || file.id === undefined || (await look()).status === "pending") {
    assert.ok(file.isCompleted !== true, `${file.key} was completed, and its service forgot`);
    await upload(service, file);
    return false;
  }
  await finalized(file, look);
  return true;
}

/** Throws unless the stored file equals the sent one. A large one is then deleted. */
export async function checkUpload({ client }: RunningService, file: LoadedUpload): Promise<void> {
  assert.ok(file.path, file.key);
  const path = encodeURIComponent(file.path);
  const { url } = await client.call<{ url: string }>(
    "GET",
    `/api/v1/assets/download-url?path=${path}`,
  );
  const stored = Buffer.from(await (await fetch(url)).arrayBuffer());
  assert.ok(stored.equals(bytesOf(file)), `${file.key} is stored as it was sent`);
  if (file.mode === "multipart") {
    await client.call("DELETE", `/api/v1/assets?path=${path}`);
    file.isDeleted = true;
  }
}

/** Every line contains its position, so that parts in the wrong order give a different file. */
function bytesOf({ name, size }: LoadedUpload): Buffer {
  const bytes = Buffer.alloc(size, "x");
  for (let at = 0; at + 100 < size; at += 100) {
    bytes.write(`${name},${at},`, at);
    bytes.write("\n", at + 99);
  }
  return bytes;
}

async function putParts(
  { client }: RunningService,
  id: string,
  bytes: Buffer,
  partSize: number,
): Promise<void> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / partSize) }, (_, index) =>
    bytes.subarray(index * partSize, (index + 1) * partSize),
  );
  const { parts } = await client.call<{ parts: PartGrant[] }>(
    "POST",
    `/api/v1/assets/uploads/${id}/parts:sign`,
    {
      body: {
        parts: pieces.map((piece, index) => ({
          part_number: index + 1,
          size_bytes: piece.length,
          checksum_base64: createHash("md5").update(piece).digest("base64"),
        })),
      },
    },
  );
  await Promise.all(
    parts.map(({ part_number: number, upload_url: url, required_headers: headers }) =>
      put(url, headers, pieces[number - 1]!),
    ),
  );
}

async function put(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  bytes: Buffer,
): Promise<void> {
  const response = await fetch(url, { method: "PUT", headers, body: new Uint8Array(bytes) });
  assert.ok(response.ok, `the PUT answered ${response.status}: ${await response.text()}`);
}

async function finalized(file: LoadedUpload, ask: () => Promise<UploadSession>): Promise<void> {
  for (const untilMs = Date.now() + UPLOAD_MAX_MS; Date.now() < untilMs;) {
    const { status, path, error_message: why } = await ask();
    assert.notEqual(status, "failed", `${file.key}: ${why}`);
    if (path !== undefined) {
      file.path = path;
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${file.key} is still not finalized`);
}
