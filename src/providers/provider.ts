/**
 * The interface of every provider of models: one file a capability in `src/providers/<name>/`, one list
 * (`providers.ts`). Nodes and the engine do not know the name of any provider; they ask through `ctx.models`
 * (docs/contract/models.md).
 */
import type {
  CutoutRequest,
  ImageRequest,
  MadePicture,
  MadeSound,
  MadeStems,
  ModelPicture,
  ReferencedModel,
  SpeechRequest,
  StemRequest,
  TextAnswer,
  TextRequest,
  TranscriptAnswer,
  TranscriptRequest,
  UpscaleRequest,
} from "../contracts/models/model-calls.ts";
import type { ModelVoice } from "../contracts/models/model.ts";
import type { ProviderKind } from "../contracts/models/provider.ts";
import type { JsonValue } from "../lib/json/exact-json.ts";
import type { Picture } from "../images/raster/raster.ts";
import type { GuardedResponse } from "../platform/egress/guarded-fetch.ts";
import type { AiBinding } from "../platform/ai-binding.ts";
import type { OperatorBody } from "../platform/egress/operator-fetch.ts";
import type { WithFiles } from "./json-body.ts";

export interface ProviderRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: OperatorBody;
  /** Most bytes of the response's body. */
  readonly maxBytes: number;
}

/**
 * Decodes a picture row by row, enlarged by `scale` where one is given (docs/contract/pictures.md#scaling). Throws NodeError
 * `IMAGE_UNREADABLE` or `IMAGE_TOO_LARGE`.
 */
export type OpenPicture = (picture: ModelPicture, scale?: number) => Promise<Picture>;

/** What a call reaches of the world: its provider, and nothing else. */
export interface ProviderIo {
  /** The same for every attempt of this call, and of no other call. */
  readonly key: string;
  /** One more than the number of times that this call has exceeded its time limit. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  readonly openPicture: OpenPicture;
  /** The work on single pixels (wasm/pixels). */
  readonly pixels: WebAssembly.Module;
  /** The binding of Workers AI, if the deployment has it. */
  readonly ai?: AiBinding;
  /**
   * To be awaited before so many characters or bytes of an answer are held, or Infinity for a file: the call then has the
   * memory for all of it. A call waits with little memory for its answer. Throws the reason of an abort.
   */
  holding(size: number): Promise<void> | undefined;
  /** A short text that the account returned in the last minutes, or that `read` asks for. Throws what `read` throws. */
  kept(name: string, read: () => Promise<string>): Promise<string>;
  /**
   * Sends to a path below the provider's base address, with its key and headers. Throws NodeError `PROVIDER_*` if no
   * response arrives; a response of any status is returned. Read its body to the end or cancel it.
   */
  send(path: `/${string}`, request: ProviderRequest): Promise<GuardedResponse>;
  /** The same for a place that `place` returned. */
  sendTo(place: string, request: ProviderRequest): Promise<GuardedResponse>;
  /**
   * Where an address of an answer is requested with the key: only at the origin of the base address, as a path of that
   * origin. An address of any other origin is ignored, and the documented path below the base address used.
   */
  place(named: unknown, documented: `/${string}`): string;
  /**
   * Fetches a file whose address is part of an answer: with the provider's key if the address is of the origin of its base
   * address, otherwise like a caller's address and without any credential. Throws NodeError `PROVIDER_BAD_OUTPUT` for an
   * address that may not be called, and as `send` does.
   */
  fetchFile(address: string, maxBytes: number): Promise<GuardedResponse>;
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

export type RemoveBackground = (
  model: ReferencedModel,
  request: CutoutRequest,
  io: ProviderIo,
) => Promise<MadePicture>;

export type UpscaleImage = (
  model: ReferencedModel,
  request: UpscaleRequest,
  io: ProviderIo,
) => Promise<MadePicture>;

/** Speaks a text. Voice and ranges of the controls have been checked where the model's entry has them. */
export type Speak = (
  model: ReferencedModel,
  request: SpeechRequest,
  io: ProviderIo,
) => Promise<MadeSound>;

/** Throws also NodeError `AUDIO_UNREADABLE` for a sound that the model cannot read. */
export type Transcribe = (
  model: ReferencedModel,
  request: TranscriptRequest,
  io: ProviderIo,
) => Promise<TranscriptAnswer>;

/** Throws, also while the stems are read, NodeError `AUDIO_UNREADABLE` for a sound that the model cannot read. */
export type SeparateStems = (
  model: ReferencedModel,
  request: StemRequest,
  io: ProviderIo,
) => Promise<MadeStems>;

/** A job at its provider. Plain JSON, at most `JOB_ID_CHARS_MAX` characters of id. */
export interface Job {
  readonly id: string;
  /** Where it is asked for, fetched and cancelled: places as `ProviderIo.place` returns them. */
  readonly status: string;
  readonly result: string;
  readonly cancel: string;
}

/** One capability of a provider that works in jobs. */
export interface JobCall<Request, Made> {
  /** The input of a job. May upload files; asks for nothing that costs. */
  readonly inputOf: (
    model: ReferencedModel,
    request: Request,
    io: ProviderIo,
  ) => Promise<WithFiles>;
  /** Reads what a finished job made. Throws NodeError `PROVIDER_BAD_OUTPUT`, `CONTENT_REFUSED`. */
  readonly read: (output: JsonValue, request: JobScope, io: ProviderIo) => Promise<Made>;
}

/** What a job is of, besides its provider. */
export interface JobScope {
  /** The provider's own name of the model. */
  readonly remoteModel: string;
}

/** A provider that works in jobs. Every call can be repeated, except for `submit`. */
export interface JobProvider {
  /** Asks for a job; the only request that costs. */
  readonly submit: (scope: JobScope, input: WithFiles, io: ProviderIo) => Promise<Job>;
  /** The output of a job; undefined while it works. Throws its failure. */
  readonly poll: (job: Job, io: ProviderIo) => Promise<JsonValue | undefined>;
  readonly cancel: (job: Job, io: ProviderIo) => Promise<void>;
  /** The places of a job whose answer named no others. */
  readonly placesOf: (
    scope: JobScope,
    id: string,
  ) => Readonly<Record<"status" | "result" | "cancel", `/${string}`>>;
  readonly calls: {
    readonly text_to_image?: JobCall<ImageRequest, MadePicture>;
    readonly image_edit?: JobCall<ImageRequest, MadePicture>;
    readonly multi_image_edit?: JobCall<ImageRequest, MadePicture>;
    readonly background_removal?: JobCall<CutoutRequest, MadePicture>;
    readonly image_upscale?: JobCall<UpscaleRequest, MadePicture>;
    readonly stem_separation?: JobCall<StemRequest, MadeStems>;
  };
}

/** The voices of an account, at most 500, the first of which speaks if none is asked for. Throws NodeError `PROVIDER_*`. */
export type ListVoices = (io: ProviderIo) => Promise<readonly ModelVoice[]>;

export interface Provider {
  readonly kind: ProviderKind;
  /** The header that carries the key. Undefined for a provider without one. */
  readonly authorize?: (key: string) => Readonly<Record<string, string>>;
  /** A repeated request is not carried out twice, because it carries the key of the call, or costs nobody anything. */
  readonly isIdempotent?: true;
  readonly calls: {
    readonly text_to_image?: MakeImage;
    readonly image_edit?: MakeImage;
    readonly multi_image_edit?: MakeImage;
    readonly background_removal?: RemoveBackground;
    readonly image_upscale?: UpscaleImage;
    readonly text_generation?: GenerateText;
    readonly text_to_speech?: Speak;
    readonly speech_to_text?: Transcribe;
    readonly stem_separation?: SeparateStems;
  };
  /** The capabilities that the provider serves as jobs. */
  readonly jobs?: JobProvider;
  /** A `GET` below the base address that costs nothing, and that a wrong key fails. */
  readonly freePath?: `/${string}`;
  /** For a provider whose models speak with the voices of an account, and not of a list of their own. */
  readonly listVoices?: ListVoices;
}
