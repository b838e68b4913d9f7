import { WorkerEntrypoint } from "cloudflare:workers";
import { parseEntries } from "../../../durable-objects/shared/entries.ts";
import {
  decodeSoundRequest,
  type DecodeSoundRequest,
  SOUND_HEADERS,
  type SoundDecoderApi,
} from "../../contracts/media/decoded-sound.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { FileContent } from "../../lib/files/file-content.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import type { MemoryLease } from "../../lib/memory/memory-budget.ts";
import { openSound } from "../../media/container/open-sound.ts";
import { NEEDS } from "../../nodes/define-tools.ts";
import { isMediaEnvUsable } from "../../platform/check-env.ts";
import type { TaskEnv } from "../../platform/env.ts";
import { RequestMemory } from "../../platform/request-memory.ts";
import { openFileSource } from "../../storage/r2/open-file-source.ts";
import { SOUND_CODECS } from "./sound-codecs.ts";
import { countedSamplesOf, frameCountOf, samplesOf } from "./sound-samples.ts";

/** Most seconds that a node which asks a model may allow. */
const SECONDS_MAX = 14_400;
const RANGE_BYTES = 256 * 1024;

/** Decodes sounds for the runner, which has no codecs, through its binding SOUND_DECODER (`decoded-sound.ts`). */
export class SoundDecoder extends WorkerEntrypoint<TaskEnv> implements SoundDecoderApi {
  async decode(request: DecodeSoundRequest): Promise<Response> {
    const memory = new RequestMemory((promise) => {
      this.ctx.waitUntil(promise);
    });
    try {
      return await decoded(this.env, request, await memory.take(NEEDS.audio.memoryBytes));
    } catch (error) {
      memory.release();
      return answerOf(error);
    }
  }
}

parseEntries<SoundDecoderApi>(SoundDecoder, isMediaEnvUsable, { decode: [decodeSoundRequest] });

/** 422 for what no repetition changes. */
function answerOf(error: unknown): Response {
  if (error instanceof NodeError && !error.retryable) {
    return new Response(error.message, { status: 422 });
  }
  if (error instanceof AppError || error instanceof NodeError) {
    return new Response(null, { status: 503 });
  }
  throw error;
}

async function decoded(
  env: TaskEnv,
  { workspace_id: workspaceId, file, reads_count: readsCount = false }: DecodeSoundRequest,
  lease: MemoryLease,
): Promise<Response> {
  const source = await openFileSource(env.FILES, workspaceId, fileRefOf(file));
  const reader = await openSound(source, SOUND_CODECS, {
    maxSeconds: SECONDS_MAX,
    blockBytes: RANGE_BYTES,
  });
  const { sampleRate, channels, frames } = reader.info;
  const shape = {
    [SOUND_HEADERS.sampleRate]: String(sampleRate),
    [SOUND_HEADERS.channels]: String(channels),
  };
  // A caller who leaves while the frames are counted ends that with the stream.
  if (frames === null && readsCount) {
    return new Response(countedSamplesOf(reader, lease), { headers: shape });
  }
  const count = frames ?? (await frameCountOf(reader));
  return new Response(samplesOf(reader, lease), {
    headers: { ...shape, [SOUND_HEADERS.frames]: String(count) },
  });
}

function fileRefOf(file: DecodeSoundRequest["file"]): FileRef {
  return new FileRef({
    key: file.key,
    name: file.name,
    contentType: file.content_type,
    sizeBytes: file.size_bytes,
    ...(file.etag !== null && { etag: file.etag }),
    ...(file.pack !== null && { pack: file.pack }),
    ...(file.content !== null && { content: FileContent.ofBase64(file.content) }),
  });
}
