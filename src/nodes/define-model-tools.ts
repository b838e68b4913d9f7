/** The tools of a node that ask models, with the requests and the stored results. */
import type {
  ImagePrompt,
  MadePicture,
  PictureSize,
  ReferencedModel,
  SoundMetadata,
  SpeechRequest,
  StemName,
  TextAnswer,
  TextPrompt,
  TranscriptAnswer,
} from "../contracts/models/model-calls.ts";
import type { JsonValue } from "../lib/json/exact-json.ts";
import type { FileRef } from "../lib/files/file-ref.ts";
import type { FileBytes } from "./define-file-tools.ts";

/**
 * Asks models, whichever provider serves them (docs/contract/models.md). A call of a provider that works in jobs throws
 * TaskSuspended until its job is done: the node passes it on, runs again later, and gets the result of the same call. Throws NodeError `PROVIDER_UNAVAILABLE`,
 * `PROVIDER_RATE_LIMITED`, `PROVIDER_TIMEOUT`, `PROVIDER_BAD_OUTPUT` (these can be retried), `PROVIDER_AUTH_FAILED`,
 * `PROVIDER_QUOTA_EXCEEDED`, `PROVIDER_REJECTED`, `CONTENT_REFUSED`, and those of reading a file. Implemented by the
 * runner.
 */
export interface ModelTools {
  /**
   * Returns the answer to a prompt. With `isStreamed`, clients that watch the run see the text as it grows. `call` is the name of
   * this call among those of the task, the same in every attempt.
   */
  generateText(
    model: ReferencedModel,
    prompt: TextPrompt,
    options: { readonly call: string; readonly isStreamed: boolean },
  ): Promise<TextAnswer>;
  /** Makes one picture. `call` is as for texts. Throws also `IMAGE_UNREADABLE` and `IMAGE_TOO_LARGE` for the inputs. */
  makeImage(model: ReferencedModel, prompt: ImagePrompt, call: string): Promise<MadePicture>;
  /**
   * Begins a call that `makeImage` ends, so that several jobs of a provider work at the same time. Returns at once for
   * a provider that answers in one request.
   */
  beginImage(model: ReferencedModel, prompt: ImagePrompt, call: string): Promise<void>;
  /** Cancels the jobs of the task that still work: the task fails for good. */
  giveUp(): Promise<void>;
  /** Removes the background of a picture: a PNG of its size, upright. Throws also the codes of `makeImage`. */
  removeBackground(model: ReferencedModel, edit: PictureEdit, call: string): Promise<EditedPicture>;
  /**
   * Enlarges a picture: a PNG of exactly `scale` times its size, upright. Throws `IMAGE_TOO_LARGE` before anything is sent if that
   * is more than `pixelsMax`, and the codes of `makeImage`.
   */
  upscaleImage(
    model: ReferencedModel,
    edit: PictureEdit & { readonly scale: 2 | 4; readonly pixelsMax: number },
    call: string,
  ): Promise<EditedPicture>;
  /** Reads format and duration of a stored sound. Throws NodeError `AUDIO_UNREADABLE`, and those of reading a file. */
  measureSound(file: FileRef): Promise<SoundMetadata>;
  /** Speaks a text and stores the sound. A sound that cannot be read is `PROVIDER_BAD_OUTPUT`. */
  speak(model: ReferencedModel, request: SpeechRequest, call: string): Promise<StoredSpeech>;
  /** Writes down what is said in a sound. Throws also `AUDIO_UNREADABLE` for one that the model cannot read. */
  transcribe(
    model: ReferencedModel,
    request: SoundEdit & { readonly language: string | null },
    call: string,
  ): Promise<TranscriptAnswer>;
  /** Separates a sound into stems and stores them. Throws as `speak` and `transcribe` do. */
  separateStems(model: ReferencedModel, request: SoundEdit, call: string): Promise<StoredStems>;
}

/** What a node asks of a model about one picture, with values of the model's own parameters. */
export interface PictureEdit {
  readonly image: FileRef;
  readonly parameters: { readonly [name: string]: JsonValue };
}

export interface EditedPicture {
  readonly bytes: FileBytes;
  readonly size: PictureSize;
}

/** The same about a sound. */
export interface SoundEdit {
  readonly file: FileRef;
  /** What `measureSound` reads. Called when a request is prepared: a task that waits for a job needs nothing of it. */
  readonly metadata: () => Promise<SoundMetadata>;
  readonly parameters: { readonly [name: string]: JsonValue };
}

export interface StoredSound {
  readonly file: FileRef;
  readonly metadata: SoundMetadata;
}

export interface StoredSpeech extends StoredSound {
  /** Characters that the provider counted; null if it reports none. */
  readonly characters: number | null;
}

export interface StoredStems {
  readonly stems: Readonly<Record<StemName, StoredSound>>;
  /** SHA-256 of the sound's bytes, hexadecimal. */
  readonly sourceSha256: string;
  /** Seconds that the provider counted; null if it reports none. */
  readonly seconds: number | null;
}
