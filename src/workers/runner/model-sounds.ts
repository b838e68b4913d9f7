/** The part of a node's models that makes and reads sounds: measured, streamed, and stored as they arrive. */
import { createHash } from "node:crypto";
import {
  type DecodedSound,
  type MadeStems,
  type ModelSound,
  type ReferencedModel,
  STEM_NAMES,
  type StemName,
  type StemRequest,
} from "../../contracts/models/model-calls.ts";
import { MEDIA_KINDS } from "../../contracts/media/media-kinds.ts";
import { asNodeError } from "../../domain/datasets/as-node-error.ts";
import { readSoundMetadata, soundFormatOf } from "../../formats/sound/read-sound-metadata.ts";
import { UnreadableSoundFile } from "../../formats/sound/sound-metadata.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { FileBytes } from "../../nodes/define-file-tools.ts";
import type {
  ModelTools,
  SoundEdit,
  StoredSound,
  StoredStems,
} from "../../nodes/define-model-tools.ts";
import { badOutput } from "../../providers/call-failure.ts";
import type { Provider, ProviderIo } from "../../providers/provider.ts";
import type { TaskFiles } from "../shared/node-context.ts";
import type { RequestedCall } from "./call-memory.ts";
import type { TaskJob } from "./model-jobs.ts";
import { served } from "./served.ts";

/** Has `ask` send one request to a model's provider. */
type Requesting = <T>(
  model: ReferencedModel,
  call: RequestedCall,
  ask: (provider: Provider, io: ProviderIo) => Promise<T>,
) => Promise<T>;

/** Calls of providers that work in jobs. */
interface SoundJobs {
  /** Remembers the failures of a call for its next attempts. */
  readonly asked: <T>(model: ReferencedModel, call: string, ask: () => Promise<T>) => Promise<T>;
  /** Undefined if the provider answers in one request. */
  readonly stemJob: (
    model: ReferencedModel,
    call: string,
    request: () => Promise<StemRequest>,
  ) => Promise<TaskJob<MadeStems> | undefined>;
}

/** Bytes that tell the formats apart. */
const SNIFFED_BYTES = 12;

export function createSoundTools(
  files: () => Pick<TaskFiles, "open" | "writeSound">,
  decode: (file: FileRef) => Promise<DecodedSound>,
  signal: AbortSignal,
  requesting: Requesting,
  jobs: SoundJobs,
): Pick<ModelTools, "measureSound" | "speak" | "transcribe" | "separateStems"> {
  const store = async (
    name: string,
    bytes: FileBytes,
    isReferred: boolean,
  ): Promise<StoredSound> => {
    const { start, all } = await begun(bytes);
    const format = soundFormatOf(start);
    if (format === undefined) {
      throw badOutput("it is not a sound");
    }
    const { contentType } = MEDIA_KINDS.audio.files[format];
    const file = await files().writeSound(`${name}.${format}`, contentType, all, isReferred);
    try {
      return { file, metadata: await readSoundMetadata(await files().open(file)) };
    } catch (error) {
      throw error instanceof UnreadableSoundFile
        ? badOutput("its duration cannot be read", error)
        : asNodeError(error);
    }
  };
  const soundOf = async ({ file, metadata }: SoundEdit): Promise<ModelSound> => {
    const { format, contentType, seconds } = await metadata();
    const source = await files().open(file);
    return { format, contentType, seconds, source, decode: () => decode(file) };
  };
  return {
    measureSound: (file) => reading(async () => readSoundMetadata(await files().open(file))),
    speak: (model, request, call) =>
      jobs.asked(model, call, () =>
        requesting(model, { call, isLight: true }, async (provider, io) => {
          const ask = served(provider.calls.text_to_speech);
          const { bytes, characters } = await ask(model, request, io);
          return { ...(await store("speech", bytes, false)), characters };
        }),
      ),
    transcribe: (model, edit, call) =>
      jobs.asked(model, call, () =>
        requesting(model, { call, isLight: true }, async (provider, io) => {
          const ask = served(provider.calls.speech_to_text);
          const { language, parameters } = edit;
          return await reading(async () =>
            ask(model, { sound: await soundOf(edit), language, parameters }, io),
          );
        }),
      ),
    async separateStems(model, edit, call) {
      // The first failure ends the reading of the other stems.
      const stop = new AbortController();
      const ends = AbortSignal.any([signal, stop.signal]);
      const request = async () => ({
        sound: await soundOf(edit),
        parameters: edit.parameters,
      });
      const separated = async (): Promise<MadeStems> => {
        const job = await jobs.stemJob(model, call, request);
        if (job !== undefined) {
          return await job.fetch(ends);
        }
        return await requesting(model, { call, endsWith: ends }, async (provider, io) =>
          served(provider.calls.stem_separation)(model, await request(), io),
        );
      };
      return await jobs.asked(model, call, () =>
        reading(async (): Promise<StoredStems> => {
          const made = await separated();
          const stored: Partial<Record<StemName, StoredSound>> = {};
          await Promise.allSettled(
            STEM_NAMES.map(async (name) => {
              try {
                stored[name] = await store(name, made.stems[name], true);
              } catch (error) {
                stop.abort(error);
              }
            }),
          );
          ends.throwIfAborted();
          return {
            stems: stored as Record<StemName, StoredSound>,
            sourceSha256: await digestOf(edit.file),
            seconds: made.seconds,
          };
        }),
      );
    },
  };

  async function digestOf(file: FileRef): Promise<string> {
    if (file.sha256 !== undefined) {
      return file.sha256;
    }
    const hash = createHash("sha256");
    for await (const piece of await (await files().open(file)).stream()) {
      signal.throwIfAborted();
      hash.update(piece);
    }
    return hash.digest("hex");
  }
}

/** Throws NodeError `AUDIO_UNREADABLE` for a sound whose duration cannot be read, and those of the file store. */
async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof UnreadableSoundFile
      ? new NodeError(
          "AUDIO_UNREADABLE",
          `The sound ${error.message} The duration of WAV, MP3, FLAC, Ogg and M4A can be read.`,
          { cause: error },
        )
      : asNodeError(error);
  }
}

/** The first bytes of a sound, and all of it from the beginning. */
async function begun(
  bytes: FileBytes,
): Promise<{ readonly start: Uint8Array; readonly all: FileBytes }> {
  if (bytes instanceof Uint8Array) {
    return { start: bytes.subarray(0, SNIFFED_BYTES), all: bytes };
  }
  const pieces =
    Symbol.asyncIterator in bytes ? bytes[Symbol.asyncIterator]() : bytes[Symbol.iterator]();
  const held: Uint8Array[] = [];
  let length = 0;
  while (length < SNIFFED_BYTES) {
    // oxlint-disable-next-line no-await-in-loop -- pieces arrive in order
    const { done, value } = await pieces.next();
    if (done === true) {
      break;
    }
    // A copy, because a piece is valid until the next one is requested.
    held.push(value.slice());
    length += value.byteLength;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield* held;
      for (;;) {
        // oxlint-disable-next-line no-await-in-loop -- pieces arrive in order
        const { done, value } = await pieces.next();
        if (done === true) {
          return;
        }
        yield value;
      }
    } finally {
      await pieces.return?.();
    }
  }
  return { start: Buffer.concat(held).subarray(0, SNIFFED_BYTES), all: all() };
}
