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
} from "../../contracts/model-calls.ts";
import type { FileRef } from "../../lib/file-ref.ts";
import { imageTooLarge } from "../../images/image-errors.ts";
import type { Picture } from "../../images/raster/raster.ts";
import { LIMITS } from "../../lib/limits-table.ts";
import { NodeError } from "../../lib/node-error.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import type { EditedPicture, FileBytes, ModelTools, TaskCall } from "../../nodes/define-tools.ts";
import type { TaskEnv } from "../../platform/env.ts";
import { type Connection, providerIo } from "../../providers/provider-io.ts";
import type { JobCall, JobProvider, Provider, ProviderIo } from "../../providers/provider.ts";
import { REQUEST_TIMEOUT_MS } from "../../providers/model-entry.ts";
import type { TaskFiles } from "../shared/node-context.ts";
import { cancelJobsOf, type TaskJob, TaskJobs, type TaskJobsParts } from "./model-jobs.ts";
import { createSoundTools } from "./model-sounds.ts";

/** A provider as it is configured for a workspace; its connection is null for one that needs none. */
export interface ConfiguredProvider {
  readonly provider: Provider;
  readonly connection: Connection | null;
}

export interface ModelToolParts {
  /** Undefined if the workspace has no such provider any more. */
  readonly findProvider: (
    env: TaskEnv,
    workspaceId: string,
    id: string,
  ) => Promise<ConfiguredProvider | undefined>;
  /** See `model-pictures.ts`. */
  readonly preparePicture: (
    bytes: Uint8Array,
    contentType: string,
    heldBytes: number,
  ) => Promise<ModelPicture>;
  readonly openPicture: (picture: ModelPicture) => Promise<Picture>;
  readonly finishPicture: (made: MadePicture, size: PictureSize) => Promise<FileBytes>;
}

type ModelScope = Pick<
  TaskScope,
  "workspaceId" | "task" | "signal" | "ownBytes" | "shrinkMemory" | "exchangeMemory"
>;

/** Asks models for one attempt of a task. */
export function createModelTools(
  { findProvider, preparePicture, openPicture, finishPicture }: ModelToolParts,
  env: TaskEnv,
  { workspaceId, task, signal, ownBytes, shrinkMemory, exchangeMemory }: ModelScope,
  files: () => Pick<TaskFiles, "read" | "open" | "writeSound">,
): ModelTools {
  const ioFor = async (
    model: ReferencedModel,
    call: string,
    endsWith = signal,
  ): Promise<{ provider: Provider; io: ProviderIo }> => {
    const found = await findProvider(env, workspaceId, model.provider);
    if (found === undefined) {
      throw notAvailable();
    }
    const { provider, connection } = found;
    const scope = {
      key: await callKey(task.key, call),
      attempt: task.attempt,
      signal: endsWith,
      timeoutMs: model.timeout_ms,
      openPicture,
    };
    return { provider, io: providerIo(env, provider, connection, scope) };
  };
  const picturesOf = async (given: readonly FileRef[]): Promise<readonly ModelPicture[]> => {
    checkSizes(given);
    const pictures: ModelPicture[] = [];
    let heldBytes = 0;
    for (const file of given) {
      // oxlint-disable no-await-in-loop -- one picture at a time is converted
      const bytes = await files().read(file);
      const picture = await preparePicture(bytes, file.contentType, heldBytes);
      // oxlint-enable no-await-in-loop
      pictures.push(picture);
      heldBytes += picture.bytes.length;
    }
    return pictures;
  };
  // Made with the first call of a provider that works in jobs: the others keep no token.
  let jobs: TaskJobs | undefined;
  const taskJobs = () =>
    (jobs ??= new TaskJobs({
      task,
      signal,
      nowMs: () => Date.now(),
      onSubmission: () => {},
      beforeFetch: () => exchangeMemory(ownBytes),
      reach: reachJobs({ findProvider, openPicture }, env, { workspaceId, task }),
    }));
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
    const served = calls && findCall(calls);
    if (served === undefined) {
      return undefined;
    }
    const name = await callName(call);
    if (isLight || taskJobs().isSubmitted(name)) {
      // While the provider is asked, other tasks have the memory.
      shrinkMemory(JOB_BYTES);
    }
    return taskJobs().of(name, model, served, request);
  };
  const imageJob = (model: ReferencedModel, prompt: ImagePrompt, call: string) =>
    jobOf(model, call, (calls) => calls[prompt.capability], {
      isLight: prompt.images.length === 0,
      request: () => imageRequest(prompt),
    });
  const asked = async <T>(call: string, ask: () => Promise<T>): Promise<T> =>
    jobs === undefined && task.token === null
      ? await ask()
      : await taskJobs().remembering(await callName(call), ask);
  const pictureOf = async (image: FileRef): Promise<ModelPicture> => {
    const [picture] = await picturesOf([image]);
    if (picture === undefined) {
      throw new TypeError("One picture was prepared.");
    }
    return picture;
  };
  const finished = async (
    made: MadePicture,
    { width, height }: PictureSize,
  ): Promise<EditedPicture> => ({
    bytes: await finishPicture(made, { width, height }),
    size: { width, height },
  });
  return {
    ...createSoundTools(
      files,
      signal,
      async (model, call, capability, endsWith) => {
        const { provider, io } = await ioFor(model, call, endsWith);
        const ask = provider.calls[capability];
        if (ask === undefined) {
          throw notAvailable();
        }
        return { ask, io };
      },
      {
        asked,
        stemJob: (model, call, request) =>
          jobOf(model, call, (calls) => calls.stem_separation, { request }),
      },
    ),
    removeBackground: (model, { image, parameters }, call) =>
      asked(call, async () => {
        const job = await jobOf(model, call, (calls) => calls.background_removal, {
          request: async () => ({ image: await pictureOf(image), parameters }),
        });
        if (job !== undefined) {
          const made = await job.fetch();
          return await finished(made, readImageHeader((await pictureOf(image)).bytes));
        }
        const { provider, io } = await ioFor(model, call);
        const remove = provider.calls.background_removal;
        if (remove === undefined) {
          throw notAvailable();
        }
        const picture = await pictureOf(image);
        const made = await remove(model, { image: picture, parameters }, io);
        return await finished(made, readImageHeader(picture.bytes));
      }),
    upscaleImage: (model, { image, parameters, scale, pixelsMax }, call) =>
      asked(call, async () => {
        const request = async (): Promise<UpscaleRequest> => {
          const picture = await pictureOf(image);
          const size = scaledSize(readImageHeader(picture.bytes), scale, pixelsMax);
          return { image: picture, parameters, scale, size };
        };
        const job = await jobOf(model, call, (calls) => calls.image_upscale, { request });
        if (job !== undefined) {
          const made = await job.fetch();
          return await finished(made, (await request()).size);
        }
        const { provider, io } = await ioFor(model, call);
        const enlarge = provider.calls.image_upscale;
        if (enlarge === undefined) {
          throw notAvailable();
        }
        const asks = await request();
        return await finished(await enlarge(model, asks, io), asks.size);
      }),
    async generateText(model, prompt, { call, isStreamed }) {
      const { provider, io } = await ioFor(model, call);
      const generate = provider.calls.text_generation;
      if (generate === undefined) {
        throw notAvailable();
      }
      const images = await picturesOf(prompt.images);
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
    },
    beginImage: (model, prompt, call) =>
      asked(call, async () => {
        const job = await imageJob(model, prompt, call);
        await job?.begin();
      }),
    makeImage: (model, prompt, call) =>
      asked(call, async () => {
        const job = await imageJob(model, prompt, call);
        if (job !== undefined) {
          return await job.fetch();
        }
        const { provider, io } = await ioFor(model, call);
        const make = provider.calls[prompt.capability];
        if (make === undefined) {
          throw notAvailable();
        }
        return await make(model, await imageRequest(prompt), io);
      }),
    giveUp: async () => {
      await jobs?.giveUp();
    },
  };
}

function reachJobs(
  { findProvider, openPicture }: Pick<ModelToolParts, "findProvider" | "openPicture">,
  env: TaskEnv,
  { workspaceId, task }: { workspaceId: string; task: Pick<TaskCall, "key" | "attempt"> },
): TaskJobsParts["reach"] {
  return async (providerId, signal) => {
    const found = await findProvider(env, workspaceId, providerId);
    const jobs = found?.provider.jobs;
    if (found === undefined || jobs === undefined) {
      return undefined;
    }
    const { key, attempt } = task;
    const timeoutMs = REQUEST_TIMEOUT_MS;
    const scope = { key, attempt, signal, timeoutMs, openPicture };
    return { jobs, io: providerIo(env, found.provider, found.connection, scope) };
  };
}

/** Throws NodeError `IMAGE_TOO_LARGE`. */
function scaledSize(from: PictureSize, scale: 2 | 4, pixelsMax: number): PictureSize {
  const size = { width: from.width * scale, height: from.height * scale };
  if (size.width * size.height > pixelsMax) {
    throw imageTooLarge(
      `would have ${size.width} × ${size.height} px, and max_output_megapixels is ${pixelsMax / 1_000_000}. Scale it down or raise the limit.`,
    );
  }
  return size;
}

/** Cancels the jobs of a call that its run has given up. Never throws. */
export function giveUpJobs(
  parts: ModelToolParts,
  env: TaskEnv,
  workspaceId: string,
  token: string,
): Promise<void> {
  const task = { key: "given-up", attempt: 1 };
  return cancelJobsOf(token, reachJobs(parts, env, { workspaceId, task }));
}

/** The size of a picture in pixels; the proportions of the first image if it asks for them. */
function sizeInPixels({ size }: ImagePrompt, images: readonly ModelPicture[]): PictureSize {
  if (size.kind === "exact") {
    return { width: size.width, height: size.height };
  }
  const [first] = images;
  const ratio =
    size.ratio === "of_first_image"
      ? first === undefined
        ? { width: 1, height: 1 }
        : readImageHeader(first.bytes)
      : size.ratio;
  const scale = size.longestSide / Math.max(ratio.width, ratio.height);
  return {
    width: Math.max(SIDE_MIN, Math.round(ratio.width * scale)),
    height: Math.max(SIDE_MIN, Math.round(ratio.height * scale)),
  };
}

/** No model makes smaller pictures. */
const SIDE_MIN = 64;

/** Throws NodeError `IMAGE_TOO_LARGE` before any picture is read. */
function checkSizes(files: readonly FileRef[]): void {
  const one = LIMITS.model_image.value;
  const together = LIMITS.model_images.value;
  const large = files.find(({ sizeBytes }) => sizeBytes > one);
  const sum = files.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0);
  if (large !== undefined || sum > together) {
    throw new NodeError(
      "IMAGE_TOO_LARGE",
      large === undefined
        ? `The pictures have ${sum} bytes together; one call of a model sends at most ${together}. Scale them down.`
        : `The picture ${large.name} has ${large.sizeBytes} bytes; at most ${one} are sent to a model. Scale it down.`,
    );
  }
}

/** The key of one call of a task: the same in every attempt, and of no other call (docs/contract/models.md#calls). */
async function callKey(taskKey: string, call: string): Promise<string> {
  return `el-${await sha256Hex(`${taskKey} ${call}`)}`;
}

/** A task that asks for a job holds its state and the answer. */
const JOB_BYTES = 1024 * 1024;

/** The name of a call in a task's token. */
async function callName(call: string): Promise<string> {
  return (await sha256Hex(call)).slice(0, CALL_NAME_CHARS);
}

const CALL_NAME_CHARS = 16;

function notAvailable(): NodeError {
  return new NodeError(
    "PROVIDER_UNAVAILABLE",
    "The model's provider was removed or switched off after the run had been submitted.",
  );
}
