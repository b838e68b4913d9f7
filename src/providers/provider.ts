/**
 * The interface of every provider of models: one file a capability in `src/providers/<name>/`, one list
 * (`providers.ts`). Nodes and the engine do not know the name of any provider; they ask through `ctx.models`
 * (docs/contract/models.md).
 */
import type {
  ImageRequest,
  MadePicture,
  ModelPicture,
  ReferencedModel,
  TextAnswer,
  TextRequest,
} from "../contracts/model-calls.ts";
import type { ProviderKind } from "../contracts/provider.ts";
import type { Picture } from "../images/raster/raster.ts";
import type { GuardedResponse } from "../platform/egress/guarded-fetch.ts";
import type { OperatorBody } from "../platform/egress/operator-fetch.ts";

export interface ProviderRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: OperatorBody;
  /** Most bytes of the response's body. */
  readonly maxBytes: number;
}

/** What a call reaches of the world: its provider, and nothing else. */
export interface ProviderIo {
  /** The same for every attempt of this call, and of no other call. */
  readonly key: string;
  /** Number of the task's attempt, from 1. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  /** Decodes a picture row by row. Throws NodeError `IMAGE_UNREADABLE` or `IMAGE_TOO_LARGE`. */
  readonly openPicture: (picture: ModelPicture) => Promise<Picture>;
  /**
   * Sends to a path below the provider's base address, with its key and headers. Throws NodeError `PROVIDER_*` if no
   * response arrives; a response of any status is returned. Read its body to the end or cancel it.
   */
  send(path: `/${string}`, request: ProviderRequest): Promise<GuardedResponse>;
}

/** Returns the answer to a prompt. `onText` receives the pieces of the answer in order as they arrive, if the provider streams. */
export type GenerateText = (
  model: ReferencedModel,
  request: TextRequest,
  io: ProviderIo,
  onText: ((piece: string) => void) | undefined,
) => Promise<TextAnswer>;

/** Makes one picture of `request.size`, or of the size that the model has for it. */
export type MakeImage = (
  model: ReferencedModel,
  request: ImageRequest,
  io: ProviderIo,
) => Promise<MadePicture>;

export interface Provider {
  readonly kind: ProviderKind;
  /** The header that carries the key. Undefined for a provider without one. */
  readonly authorize?: (key: string) => Readonly<Record<string, string>>;
  readonly calls: {
    readonly text_to_image?: MakeImage;
    readonly image_edit?: MakeImage;
    readonly multi_image_edit?: MakeImage;
    readonly text_generation?: GenerateText;
  };
}
