/**
 * The memory of each node of sound: below 64 MB for ten minutes of 48 kHz stereo, and the same within 2 MB for a sound of a
 * quarter of it. The meter and a conversion have an hour, too, and so have nodes of film, with 240 MB of MP4.
 */
import "../support/only-in-proof.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  FILM_NODES,
  publishFilmNode,
  submitFilmNode,
} from "../support/node/media/film-workflows.ts";
import { type LongFilm, longFilm } from "../support/node/media/long-films.ts";
import { longWav } from "../support/node/media/long-sounds.ts";
import {
  publishSoundNode,
  SOUND_NODES,
  submitSoundNode,
} from "../support/node/media/sound-workflows.ts";
import { expectFound } from "../support/node/live-bytes/expect-found.ts";
import { MEDIA_FAULT, MEDIA_PART, MEMORY_FAULTS } from "../support/node/live-bytes/watch-points.ts";
import { LIVE_BYTES_MAX } from "../support/node/live-bytes/live-bytes-watch.ts";
import { WatchedService } from "../support/node/live-bytes/watched-service.ts";
import { waitUntil } from "../support/wait-until.ts";

const MB = 1024 * 1024;
const ISOLATE_BYTES_MAX = 100 * MB;
const TENANTS = 20;
const QUICK = ["convert", "concat", "mix", "duck"];

interface Sound {
  readonly seconds: number;
  readonly rate: number;
  readonly channels: number;
}
const STEREO = { rate: 48_000, channels: 2 };
/** An hour of it is almost the largest file that an upload accepts. */
const MONO = { rate: 32_000, channels: 1 };
/** Short ones have more than two parts, which is as many as are held. */
const SOUNDS = {
  short: { seconds: 150, ...STEREO },
  long: { seconds: 600, ...STEREO },
  shortMono: { seconds: 300, ...MONO },
  hour: { seconds: 3_600, ...MONO },
} satisfies Record<string, Sound>;
type SoundName = keyof typeof SOUNDS;
/** The short one has the bytes of more than two parts in seconds. */
const FILMS = {
  shortFilm: { seconds: 4, bytes: 24 * MB },
  hourFilm: { seconds: 3_600, bytes: 230 * MB },
} satisfies Record<string, LongFilm>;
type FilmName = keyof typeof FILMS;

let watched: WatchedService;
const assets = new Map<string, string>();

beforeAll(async () => {
  watched = await WatchedService.start({
    workers: ["media"],
    points: { media: [MEDIA_PART] },
    faults: { media: [MEDIA_FAULT, MEMORY_FAULTS.unasked] },
  });
  for (const [name, { seconds, rate, channels }] of Object.entries(SOUNDS)) {
    assets.set(name, await watched.upload(`${name}.wav`, longWav(seconds, rate, channels)));
  }
});

afterAll(() => watched?.stop());

async function act(name: string, asset: string | undefined, tenant = watched) {
  const node = SOUND_NODES[name]!;
  const workflow = await publishSoundNode(tenant.client, node);
  return async () => {
    const id = await submitSoundNode(tenant.client, workflow, node, asset ?? "");
    await tenant.ended(id);
  };
}

async function heldBy(name: string, sound: SoundName): Promise<number> {
  const { peak, held, at, samples } = await watched
    .watch("media")
    .during(await act(name, assets.get(sound)));
  const kinds = [held.heap, held.buffers, held.wasm].map((bytes) => (bytes / MB).toFixed(1));
  process.stderr.write(
    `live bytes: ${name}, ${sound}: ${(peak / MB).toFixed(1)} MB (heap, buffers, wasm: ${kinds.join(", ")}), ${at}, ${samples} samples\n`,
  );
  return peak;
}

test.each(Object.entries(SOUND_NODES))(
  "audio/%s holds less than 64 MB, however long its sounds are",
  { timeout: 900_000 },
  async (name) => {
    const long = await heldBy(name, "long");
    expect(long).toBeLessThan(LIVE_BYTES_MAX);
    expect(long).toBeLessThan((await heldBy(name, "short")) + 2 * MB);
  },
);

test.each(["convert", "quality_report"])(
  "audio/%s holds for an hour what it holds for five minutes",
  { timeout: 600_000 },
  async (name) => {
    const [hour, short] = [await heldBy(name, "hour"), await heldBy(name, "shortMono")];
    expect(hour).toBeLessThan(short + 2 * MB);
  },
);

/** Memory of a node of film; the film is uploaded by the first test that needs it. */
async function heldByFilm(name: string, film: FilmName): Promise<number> {
  const path = assets.get(film) ?? (await watched.upload(`${film}.mp4`, longFilm(FILMS[film])));
  assets.set(film, path);
  const node = FILM_NODES[name]!;
  const workflow = await publishFilmNode(watched.client, node);
  const given = { film: path, shown: path, wav: "", m4a: "" };
  const { peak, at, samples } = await watched.watch("media").during(async () => {
    await watched.ended(await submitFilmNode(watched.client, workflow, node, given));
  });
  process.stderr.write(
    `live bytes: ${name}, ${film}: ${(peak / MB).toFixed(1)} MB, ${at}, ${samples} samples\n`,
  );
  return peak;
}

/** Bytes that the tables of a film take for each of its packets, and the packets of the long one: pictures and sound. */
const TABLES_BYTES = 16 * 3_600 * (25 + 44_100 / 1_024);
/** The sound of the short film is one part of a file, and its task may end before a sample meets it. */
const PART_BYTES = 2 * 8 * MB + 4 * MB;

/** Those that copy pictures alike are represented by one: all of them write movies in the same way. */
test.each([
  ["video/split", 0],
  ["video/extract_audio", PART_BYTES],
  ["video/thumbnail", 0],
] as const)(
  "%s holds less than 64 MB of a film of an hour, and no more than of seconds but for its tables",
  { timeout: 600_000 },
  async (name, more) => {
    const short = await heldByFilm(name, "shortFilm");
    const long = await heldByFilm(name, "hourFilm");
    expect(long).toBeLessThan(LIVE_BYTES_MAX);
    expect(long).toBeLessThan(short + 2 * MB + TABLES_BYTES + more);
  },
);

test("parts of a sound that are kept are found", async () => {
  const convert = await act("convert", assets.get("long"));
  const { peak } = await watched.watch("media").duringFault(MEDIA_FAULT, async () => {
    await convert();
    await convert();
  });
  expectFound("parts of a sound", peak, LIVE_BYTES_MAX);
});

test(
  "twenty tasks of as many tenants stay below 100 MB together, and release all of it",
  { timeout: 600_000 },
  async () => {
    const media = watched.watch("media");
    const acts: (() => Promise<unknown>)[] = [];
    for (let i = 0; i < TENANTS; i++) {
      const tenant = await watched.newTenant();
      const asset = await tenant.upload("a.wav", longWav(20));
      acts.push(await act(QUICK[i % QUICK.length]!, asset, tenant));
    }
    const together = () => Promise.all(acts.map((one) => one()));
    const { most, at } = await media.during(together);
    process.stderr.write(`live bytes: twenty media tasks: ${(most / MB).toFixed(1)} MB, ${at}\n`);
    expect(most).toBeLessThan(ISOLATE_BYTES_MAX);
    await waitUntil("the last lease's end", async () => (await media.takenBytes()) === 0, 300_000);
    const { most: unasked } = await media.duringFault(MEMORY_FAULTS.unasked, together);
    expectFound("sounds that ask for nothing", unasked, ISOLATE_BYTES_MAX);
  },
);
