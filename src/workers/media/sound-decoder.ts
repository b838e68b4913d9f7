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
import { openSound, type SoundReader } from "../../media/container/open-sound.ts";
import { NEEDS } from "../../nodes/define-tools.ts";
import { isMediaEnvUsable } from "../../platform/check-env.ts";
import type { TaskEnv } from "../../platform/env.ts";
import { RequestMemory } from "../../platform/request-memory.ts";
import { openFileSource } from "../../storage/r2/open-file-source.ts";
import { SOUND_CODECS } from "./sound-codecs.ts";
import { samplesOf } from "./sound-samples.ts";
import { WorkTurns } from "./work-turns.ts";

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
  { workspace_id: workspaceId, file }: DecodeSoundRequest,
  lease: MemoryLease,
): Promise<Response> {
  const source = await openFileSource(env.FILES, workspaceId, fileRefOf(file));
  const reader = await openSound(source, SOUND_CODECS, {
    maxSeconds: SECONDS_MAX,
    blockBytes: RANGE_BYTES,
  });
  const { sampleRate, channels } = reader.info;
  const frames = reader.info.frames ?? (await countFrames(reader));
  return new Response(samplesOf(reader, lease), {
    headers: {
      [SOUND_HEADERS.sampleRate]: String(sampleRate),
      [SOUND_HEADERS.channels]: String(channels),
      [SOUND_HEADERS.frames]: String(frames),
    },
  });
}

/** For a file whose header does not have its length. */
async function countFrames(reader: SoundReader): Promise<number> {
  const turns = new WorkTurns(new AbortController().signal);
  let frames = 0;
  for await (const [first] of reader.blocks()) {
    frames += first?.length ?? 0;
    await turns.add(first?.length ?? 0);
  }
  return frames;
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
