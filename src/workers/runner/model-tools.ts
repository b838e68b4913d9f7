import type { ColorConversion } from "../../images/color/convert-colors.ts";
import type { TaskScope } from "../../../durable-objects/executor/executor-parts.ts";
import { readImageHeader } from "../../images/header/read-image-header.ts";
import type {
  ImagePrompt,
  ImageRequest,
  MadePicture,
  ModelPicture,
  PictureSize,
  ReferencedModel,
  UpscaleRequest,
} from "../../contracts/models/model-calls.ts";
import type { StoredReferences } from "../../contracts/references.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import type { FileBytes } from "../../nodes/define-file-tools.ts";
import type { EditedPicture, ModelTools } from "../../nodes/define-model-tools.ts";
import type { TaskEnv } from "../../platform/env.ts";
import { providerIo } from "../../providers/provider-io.ts";
import type { JobCall, JobProvider, Provider, ProviderIo } from "../../providers/provider.ts";
import type { TaskFiles } from "../shared/node-context.ts";
import { CallMemory, type RequestedCall, weightOf } from "./call-memory.ts";
import { decodeSound } from "./decode-sound.ts";
import { keptTexts } from "./kept-texts.ts";
import { leaveQueue, pauseAfter, RequestPlaces, taskGate } from "./model-gate.ts";
import { type TaskJob, TaskJobs } from "./model-jobs.ts";
import { checkSizes, scaledSize, sizeInPixels } from "./model-picture-sizes.ts";
import { createSoundTools } from "./model-sounds.ts";
import { type Answers, type ProviderParts, reachJobs } from "./reach-jobs.ts";
import { served } from "./served.ts";

export interface ModelToolParts extends ProviderParts {
  /** See `model-pictures.ts`. */
  readonly preparePicture: (
    bytes: Uint8Array,
    contentType: string,
    heldBytes: number,
    onColors?: (conversion: ColorConversion) => void,
  ) => Promise<ModelPicture>;
  readonly finishPicture: (made: MadePicture, size: PictureSize) => Promise<FileBytes>;
}

type ModelScope = Pick<
  TaskScope,
  | "workspaceId"
  | "runId"
  | "taskId"
  | "task"
  | "references"
  | "signal"
  | "ownBytes"
  | "shrinkMemory"
  | "exchangeMemory"
  | "atEnd"
  | "log"
>;

/** Asks models for one attempt of a task. */
export function createModelTools(
  { findProvider, preparePicture, openPicture, pixels, finishPicture }: ModelToolParts,
  env: TaskEnv,
  scope: ModelScope,
  files: () => Pick<TaskFiles, "read" | "open" | "writeSound">,
): ModelTools {
  const { workspaceId, task, signal } = scope;
  const memory = new CallMemory(scope);
  const answers: Answers = {
    requestId: null,
    holding: (size) => memory.holding(size),
    onResponse: (id) => {
      answers.requestId = id;
    },
  };
  const places = new RequestPlaces(task.key, signal);
  scope.atEnd((isLast) => {
    places.end();
    // Only a task that has waited can be in a queue still, or have a place that was reserved for it.
    if (isLast && task.token !== null) {
      void leaveQueues();
    }
  });
  /** Never throws: what stays in a queue ends by itself, later. */
  const leaveQueues = async (): Promise<void> => {
    try {
      for (const id of providersIn(scope.references)) {
        // oxlint-disable-next-line no-await-in-loop -- mostly there is one
        const found = await findProvider(env, workspaceId, id);
        if (found !== undefined && found.gate !== null) {
          const gate = taskGate(env.PROVIDER_GATE, found.gate, scope);
          leaveQueue(gate, task.key, found.provider.jobs !== undefined);
        }
      }
    } catch {
      // The configuration cannot be read at present.
    }
  };
  const nameOf = callNames();
  const jobs = new TaskJobs({
    task,
    signal,
    nowMs: () => Date.now(),
    onSubmission: ({ model, provider }, isRepeat) => {
      task.countCalls({ provider, model, calls: 1, unconfirmed_repeats: isRepeat ? 1 : 0 });
    },
    beforeFetch: () => memory.again(),
    reach: reachJobs({ findProvider, openPicture, pixels }, env, scope, answers),
  });
  /** Has `ask` send one request, when the provider's gate lets it pass; `ask` reports the pictures that it has prepared. */
  const requesting = async <T>(
    model: ReferencedModel,
    { call, isLight = false, isHolding = false, endsWith = signal }: RequestedCall,
    ask: (provider: Provider, io: ProviderIo, hasPrepared: HasPrepared) => Promise<T>,
  ): Promise<T> => {
    const name = await nameOf(call);
    const found = served(await findProvider(env, workspaceId, model.provider));
    const { provider, connection } = found;
    const gate = found.gate === null ? null : taskGate(env.PROVIDER_GATE, found.gate, scope);
    if (!isHolding) {
      memory.giveBack();
    }
    if (gate !== null) {
      await places.pass(gate, (waitMs) => jobs.queue(waitMs));
    }
    // What has no address works in this isolate, or its answer arrives as a whole and waits for no memory.
    const waitsLight = connection !== null;
    if (!isLight || !waitsLight) {
      await memory.all(!places.hasMade);
    }
    const hasPrepared: HasPrepared = (pictures) => {
      if (waitsLight && !isHolding) {
        memory.prepared(pictures.reduce((sum, { bytes }) => sum + bytes.length, 0));
      }
    };
    const key = await callKey(task.key, call);
    const attempt = jobs.timeoutsOf(name) + 1;
    const { timeout_ms: timeoutMs } = model;
    const isIdempotent = provider.isIdempotent === true;
    try {
      const made = await jobs.request({ name, model, isIdempotent }, async (sends) => {
        if (gate === null) {
          sends();
        }
        const onRequest = gate === null ? () => {} : sends;
        const kept = keptTexts(workspaceId, model.provider, connection, () => Date.now());
        const about = { key, attempt, signal: endsWith, timeoutMs, openPicture, pixels, kept };
        const of = { ...about, onRequest, ...answers };
        return await ask(provider, providerIo(env, provider, connection, of), hasPrepared);
      });
      places.made();
      return made;
    } catch (error) {
      pauseAfter(error, gate);
      throw error;
    }
  };
  /**
   * Bytes that arrive after the call has returned: their failure is one of the call. `asked` is the provider whose answer
   * to a request they are; the output of a job is fetched again.
   */
  const watched = (
    model: ReferencedModel,
    call: string,
    bytes: FileBytes,
    asked?: Provider,
  ): MadePicture["bytes"] => {
    if (bytes instanceof Uint8Array) {
      return bytes;
    }
    return (async function* () {
      try {
        yield* bytes;
      } catch (error) {
        const name = await nameOf(call);
        const isIdempotent = asked?.isIdempotent === true;
        const failure = asked === undefined ? error : jobs.lost({ name, isIdempotent }, error);
        jobs.noteFailure(name, failure);
        logFailure(model, name, failure);
        throw failure;
      }
    })();
  };
  const picturesOf = async (given: readonly FileRef[]): Promise<readonly ModelPicture[]> => {
    checkSizes(given);
    const pictures: ModelPicture[] = [];
    let heldBytes = 0;
    for (const file of given) {
      // oxlint-disable no-await-in-loop -- one picture at a time is converted
      const bytes = await files().read(file);
      const picture = await preparePicture(bytes, file.contentType, heldBytes, task.countColors);
      // oxlint-enable no-await-in-loop
      pictures.push(picture);
      heldBytes += picture.bytes.length;
    }
    return pictures;
  };
  const imageRequest = async (prompt: ImagePrompt): Promise<ImageRequest> => {
    const images = await picturesOf(prompt.images);
    return { ...prompt, images, size: sizeInPixels(prompt, images) };
  };
  /** Undefined if the provider answers in one request. `isLight`: the request needs no memory for pictures. */
  const jobOf = async <R, M>(
    model: ReferencedModel,
    call: string,
    findCall: (calls: JobProvider["calls"]) => JobCall<R, M> | undefined,
    { isLight = false, request }: { isLight?: boolean; request: () => Promise<R> },
  ): Promise<TaskJob<M> | undefined> => {
    const found = await findProvider(env, workspaceId, model.provider);
    const calls = found?.provider.jobs?.calls;
    const jobCall = calls && findCall(calls);
    if (jobCall === undefined) {
      return undefined;
    }
    const prepared = async () => {
      await memory.all(true);
      return await request();
    };
    return jobs.of(await nameOf(call), model, jobCall, isLight ? request : prepared);
  };
  const imageJob = (model: ReferencedModel, prompt: ImagePrompt, call: string) =>
    jobOf(model, call, (calls) => calls[prompt.capability], {
      isLight: prompt.images.length === 0,
      request: () => imageRequest(prompt),
    });
  const logFailure = ({ provider, model }: ReferencedModel, name: string, error: unknown): void => {
    if (error instanceof NodeError && isOfProvider(error)) {
      const ids = { request_id: answers.requestId, job_id: jobs.jobIdOf(name) };
      scope.log.error("provider.call_failed", { provider, model, code: error.code, ...ids });
    }
  };
  const asked = async <T>(
    model: ReferencedModel,
    call: string,
    ask: () => Promise<T>,
  ): Promise<T> => {
    const name = await nameOf(call);
    return await jobs.remembering(name, async () => {
      answers.requestId = null;
      try {
        return await ask();
      } catch (error) {
        logFailure(model, name, error);
        throw error;
      }
    });
  };
  const pictureOf = async (image: FileRef): Promise<ModelPicture> => {
    const [picture] = await picturesOf([image]);
    if (picture === undefined) {
      throw new TypeError("One picture was prepared.");
    }
    return picture;
  };
  const finished = async (
    model: ReferencedModel,
    call: string,
    made: MadePicture,
    { width, height }: PictureSize,
    asked?: Provider,
  ): Promise<EditedPicture> => ({
    bytes: watched(model, call, await finishPicture(made, { width, height }), asked),
    size: { width, height },
  });
  return {
    ...createSoundTools(
      files,
      (file) => decodeSound(env, workspaceId, file, signal),
      signal,
      requesting,
      {
        asked,
        stemJob: (model, call, request) =>
          jobOf(model, call, (calls) => calls.stem_separation, { request }),
      },
    ),
    removeBackground: (model, { image, parameters }, call) =>
      asked(model, call, async () => {
        const job = await jobOf(model, call, (calls) => calls.background_removal, {
          request: async () => ({ image: await pictureOf(image), parameters }),
        });
        if (job !== undefined) {
          const made = await job.fetch();
          return await finished(model, call, made, readImageHeader((await pictureOf(image)).bytes));
        }
        return await requesting(model, { call }, async (provider, io, hasPrepared) => {
          const remove = served(provider.calls.background_removal);
          const picture = await pictureOf(image);
          hasPrepared([picture]);
          const made = await remove(model, { image: picture, parameters }, io);
          return await finished(model, call, made, readImageHeader(picture.bytes), provider);
        });
      }),
    upscaleImage: (model, { image, parameters, scale, pixelsMax }, call) =>
      asked(model, call, async () => {
        const request = async (): Promise<UpscaleRequest> => {
          const picture = await pictureOf(image);
          const size = scaledSize(readImageHeader(picture.bytes), scale, pixelsMax);
          return { image: picture, parameters, scale, size };
        };
        const job = await jobOf(model, call, (calls) => calls.image_upscale, { request });
        if (job !== undefined) {
          const made = await job.fetch();
          return await finished(model, call, made, (await request()).size);
        }
        return await requesting(model, { call }, async (provider, io, hasPrepared) => {
          const enlarge = served(provider.calls.image_upscale);
          const asks = await request();
          hasPrepared([asks.image]);
          return await finished(model, call, await enlarge(model, asks, io), asks.size, provider);
        });
      }),
    generateText: (model, prompt, { call, isStreamed }) =>
      asked(model, call, () =>
        requesting(model, { call, ...weightOf(prompt) }, async (provider, io, hasPrepared) => {
          const generate = served(provider.calls.text_generation);
          const images = await picturesOf(prompt.images);
          hasPrepared(images);
          return await generate(
            model,
            { ...prompt, images },
            io,
            isStreamed
              ? (piece) => {
                  task.emitText(piece);
                }
              : undefined,
          );
        }),
      ),
    beginImage: (model, prompt, call) =>
      asked(model, call, async () => {
        const job = await imageJob(model, prompt, call);
        await job?.begin();
      }),
    makeImage: (model, prompt, call) =>
      asked(model, call, async () => {
        const job = await imageJob(model, prompt, call);
        if (job !== undefined) {
          const made = await job.fetch();
          return { ...made, bytes: watched(model, call, made.bytes) };
        }
        const isLight = prompt.images.length === 0;
        return await requesting(model, { call, isLight }, async (provider, io, hasPrepared) => {
          const make = served(provider.calls[prompt.capability]);
          const request = await imageRequest(prompt);
          hasPrepared(request.images);
          const made = await make(model, request, io);
          return { ...made, bytes: watched(model, call, made.bytes, provider) };
        });
      }),
    giveUp: () => jobs.giveUp(),
  };
}

function isOfProvider({ code }: NodeError): boolean {
  return code.startsWith("PROVIDER_") || code === "CONTENT_REFUSED";
}

/** Ids of the providers of all models that a node refers to. */
function providersIn(references: StoredReferences): ReadonlySet<string> {
  // Only this service writes them: a model, or the default of each capability.
  const models = [...references.values()].flatMap(({ kind, content }) =>
    kind === "model"
      ? [content]
      : kind === "default_models"
        ? Object.values(content as { readonly [capability: string]: JsonValue })
        : [],
  ) as unknown as readonly ReferencedModel[];
  return new Set(models.map(({ provider }) => provider));
}

/** The key of one call of a task: the same in every attempt, and of no other call (docs/contract/models.md#calls). */
async function callKey(taskKey: string, call: string): Promise<string> {
  return `el-${await sha256Hex(`${taskKey} ${call}`)}`;
}

/** Told of the pictures of a request once they are ready to be sent. */
type HasPrepared = (pictures: readonly ModelPicture[]) => void;

/** Returns the name of a call in a task's token. That of the last call is kept, since each step of a call needs it. */
function callNames(): (call: string) => Promise<string> {
  let last: { readonly call: string; readonly name: string } | undefined;
  return async (call) => {
    if (last?.call !== call) {
      last = { call, name: (await sha256Hex(call)).slice(0, CALL_NAME_CHARS) };
    }
    return last.name;
  };
}

const CALL_NAME_CHARS = 16;
