/** The media Worker under the debugger, and the memory of its nodes on long sounds and films. */
import type { LongFilm } from "../media/long-films.ts";
import { longFilm } from "../media/long-films.ts";
import { longWav } from "../media/long-sounds.ts";
import { type LiveBytes, RARE } from "./live-bytes-watch.ts";
import { MEDIA_BLOCK, MEDIA_FAULT, MEDIA_PART, MEMORY_FAULTS } from "./watch-points.ts";
import { WatchedService } from "./watched-service.ts";

const MB = 1024 * 1024;

interface LongSound {
  readonly seconds: number;
  readonly rate: number;
  readonly channels: number;
}

/** Files that tests upload, by their names. */
export interface MediaAssets {
  readonly sounds?: Readonly<Record<string, LongSound>>;
  readonly films?: Readonly<Record<string, LongFilm>>;
}

export class MediaMemory {
  readonly watched: WatchedService;
  readonly #assets: MediaAssets;
  readonly #paths = new Map<string, string>();

  private constructor(watched: WatchedService, assets: MediaAssets) {
    this.watched = watched;
    this.#assets = assets;
  }

  static async start(assets: MediaAssets): Promise<MediaMemory> {
    const watched = await WatchedService.start({
      workers: ["media"],
      points: { media: [MEDIA_PART, MEDIA_BLOCK] },
      faults: { media: [MEDIA_FAULT, MEMORY_FAULTS.unasked] },
      pauses: RARE,
    });
    return new MediaMemory(watched, assets);
  }

  /** Uploads a file when it is asked for first. */
  async path(name: string): Promise<string> {
    const known = this.#paths.get(name);
    if (known !== undefined) {
      return known;
    }
    const path = await this.#upload(name);
    this.#paths.set(name, path);
    return path;
  }

  async #upload(name: string): Promise<string> {
    const { sounds = {}, films = {} } = this.#assets;
    const sound = sounds[name];
    if (sound !== undefined) {
      const { seconds, rate, channels } = sound;
      return await this.watched.upload(`${name}.wav`, longWav(seconds, rate, channels));
    }
    const film = films[name];
    if (film === undefined) {
      throw new Error(`There is no file ${name}.`);
    }
    return await this.watched.upload(`${name}.${film.container ?? "mp4"}`, longFilm(film));
  }

  /** The memory over the level at rest while a run is submitted and ends; the most of it is printed. `thinning` as in `LiveBytesWatch.during`. */
  async during(label: string, submit: () => Promise<string>, thinning = 1): Promise<LiveBytes> {
    const media = this.watched.watch("media");
    const live = await media.during(async () => this.watched.ended(await submit()), thinning);
    const { peak, held, at, samples } = live;
    const kinds = [held.heap, held.buffers, held.wasm].map((bytes) => (bytes / MB).toFixed(1));
    process.stderr.write(
      `live bytes: ${label}: ${(peak / MB).toFixed(1)} MB (heap, buffers, wasm: ${kinds.join(", ")}), ${at}, ${samples} samples\n`,
    );
    return live;
  }

  async stop(): Promise<void> {
    await this.watched.stop();
  }
}
