import { type DecodeSoundRequest, SOUND_HEADERS } from "../../contracts/media/decoded-sound.ts";
import type { DecodedSound } from "../../contracts/models/model-calls.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import type { TaskEnv } from "../../platform/env.ts";

/**
 * The samples of a stored sound, decoded by the media Worker as they are read. Throws NodeError `AUDIO_UNREADABLE` for what it
 * cannot decode, and `PROVIDER_UNAVAILABLE`, to be repeated, if it does not answer or has no memory.
 */
export async function decodeSound(
  env: TaskEnv,
  workspaceId: string,
  file: FileRef,
  signal: AbortSignal,
): Promise<DecodedSound> {
  const response = await ask(env, { v: 1, workspace_id: workspaceId, file: wordsOf(file) }, signal);
  if (response.status === 422) {
    throw new NodeError(
      "AUDIO_UNREADABLE",
      `The sound cannot be decoded. ${await response.text()}`,
    );
  }
  const { status, headers, body } = response;
  if (status !== 200 || body === null) {
    await body?.cancel();
    throw unavailable(`status ${status}`);
  }
  const numberOf = (name: keyof typeof SOUND_HEADERS) => Number(headers.get(SOUND_HEADERS[name]));
  return {
    sampleRate: numberOf("sampleRate"),
    channels: numberOf("channels"),
    frames: numberOf("frames"),
    samples: body,
  };
}

async function ask(env: TaskEnv, request: DecodeSoundRequest, signal: AbortSignal) {
  if (env.SOUND_DECODER === undefined) {
    throw new TypeError("The runner has the binding SOUND_DECODER.");
  }
  const response = await env.SOUND_DECODER.decode(request).catch((cause: unknown) => {
    throw unavailable(cause);
  });
  if (signal.aborted) {
    await response.body?.cancel();
    signal.throwIfAborted();
  }
  return response;
}

function unavailable(cause: unknown): NodeError {
  return new NodeError(
    "PROVIDER_UNAVAILABLE",
    "The sound could not be decoded for the model at present.",
    { retryable: true, cause },
  );
}

function wordsOf(file: FileRef): DecodeSoundRequest["file"] {
  return {
    key: file.key,
    name: file.name,
    content_type: file.contentType,
    size_bytes: file.sizeBytes,
    etag: file.etag ?? null,
    pack: file.pack ?? null,
    content: file.content?.base64 ?? null,
  };
}
