import type { TaskScope } from "../../../durable-objects/executor/executor-parts.ts";
import { readImageHeader } from "../../images/header/read-image-header.ts";
import type {
  ImagePrompt,
  ModelPicture,
  PictureSize,
  ReferencedModel,
} from "../../contracts/model-calls.ts";
import type { FileRef } from "../../lib/file-ref.ts";
import type { Picture } from "../../images/raster/raster.ts";
import { LIMITS } from "../../lib/limits-table.ts";
import { NodeError } from "../../lib/node-error.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import type { ModelTools } from "../../nodes/define-tools.ts";
import type { TaskEnv } from "../../platform/env.ts";
import { type Connection, providerIo } from "../../providers/provider-io.ts";
import type { Provider, ProviderIo } from "../../providers/provider.ts";
import type { TaskFiles } from "../shared/node-context.ts";

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
}

/** Asks models for one attempt of a task. */
export function createModelTools(
  { findProvider, preparePicture, openPicture }: ModelToolParts,
  env: TaskEnv,
  { workspaceId, task, signal }: Pick<TaskScope, "workspaceId" | "task" | "signal">,
  files: () => Pick<TaskFiles, "read">,
): ModelTools {
  const ioFor = async (
    model: ReferencedModel,
    call: string,
  ): Promise<{ provider: Provider; io: ProviderIo }> => {
    const found = await findProvider(env, workspaceId, model.provider);
    if (found === undefined) {
      throw notAvailable();
    }
    const { provider, connection } = found;
    const scope = {
      key: await callKey(task.key, call),
      attempt: task.attempt,
      signal,
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
  return {
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
    async makeImage(model, prompt, call) {
      const { provider, io } = await ioFor(model, call);
      const make = provider.calls[prompt.capability];
      if (make === undefined) {
        throw notAvailable();
      }
      const images = await picturesOf(prompt.images);
      return await make(model, { ...prompt, images, size: sizeInPixels(prompt, images) }, io);
    },
  };
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

function notAvailable(): NodeError {
  return new NodeError(
    "PROVIDER_UNAVAILABLE",
    "The model's provider was removed or switched off after the run had been submitted.",
  );
}
