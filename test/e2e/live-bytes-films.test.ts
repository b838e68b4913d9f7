/**
 * The memory of each node of film on 240 MB and on an hour of MP4, of those of sound that take an hour, and of twenty tasks
 * at once: below 64 MB, and for an hour what it is for a minute, within 2 MB.
 */
import "../support/only-in-proof.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  FILM_NODES,
  type FilmAssets,
  publishFilmNode,
  submitFilmNode,
} from "../support/node/media/film-workflows.ts";
import { longWav } from "../support/node/media/long-sounds.ts";
import {
  publishSoundNode,
  SOUND_NODES,
  submitSoundNode,
} from "../support/node/media/sound-workflows.ts";
import { expectFound } from "../support/node/live-bytes/expect-found.ts";
import { expectNoMore } from "../support/node/live-bytes/expect-no-more.ts";
import { LIVE_BYTES_MAX } from "../support/node/live-bytes/live-bytes-watch.ts";
import { MediaMemory } from "../support/node/live-bytes/media-memory.ts";
import { MEMORY_FAULTS } from "../support/node/live-bytes/watch-points.ts";
import { waitUntil } from "../support/wait-until.ts";

const MB = 1024 * 1024;
const ISOLATE_BYTES_MAX = 100 * MB;
const TENANTS = 20;
const QUICK = ["convert", "concat", "mix", "duck"];
const HOUR = 3_600;

const STEREO = { rate: 48_000, channels: 2 };
/** An hour of it is almost the largest file that an upload accepts. */
const MONO = { rate: 32_000, channels: 1 };
/** Short files have the bytes of more than two parts of a file, which is as many as are held. */
const SOUNDS = {
  short: { seconds: 150, ...STEREO },
  long: { seconds: 600, ...STEREO },
  shortMono: { seconds: 300, ...MONO },
  hour: { seconds: HOUR, ...MONO },
};
const FILMS = {
  minuteFilm: { seconds: 60, bytes: 60 * MB },
  hourFilm: { seconds: HOUR, bytes: 230 * MB },
  /** Its sound alone has more than two parts. */
  longSound: { seconds: 1_200, bytes: 24 * MB },
  silentMinute: { seconds: 60, bytes: 40 * MB, hasSound: false },
  silentHour: { seconds: HOUR, bytes: 60 * MB, hasSound: false },
  longM4a: { container: "m4a", seconds: 1_200 },
  hourM4a: { container: "m4a", seconds: HOUR },
  /** Whose sound is decoded and encoded, twice. */
  smallFilm: { seconds: 4, bytes: 24 * MB },
  wideFilm: { seconds: 30, bytes: 115 * MB },
  /** All of it is read for its duration. */
  untimedMinute: { container: "webm", seconds: 60, bytes: 24 * MB, isTimed: false },
  untimedHour: { container: "webm", seconds: HOUR, bytes: 120 * MB, isTimed: false },
} as const;

let memory: MediaMemory;

beforeAll(async () => {
  memory = await MediaMemory.start({ sounds: SOUNDS, films: FILMS });
});

afterAll(() => memory?.stop());

type Given = Partial<Record<keyof FilmAssets, keyof typeof FILMS | keyof typeof SOUNDS>>;

/** Long files have at least as many parts and blocks as short ones with this: samples from their beginning to their end. */
const THINNING = 4;

/** Memory of a node in a run with these files. */
async function heldBy(name: string, given: Given, thinning = 1): Promise<number> {
  const node = FILM_NODES[name]!;
  const { client } = memory.watched;
  const assets = { film: "", shown: "", wav: "", m4a: "", untimed: "" };
  for (const [as, file] of Object.entries(given)) {
    assets[as as keyof FilmAssets] = await memory.path(file);
  }
  const workflow = await publishFilmNode(client, node);
  const label = `${name}, ${Object.values(given).join(", ")}`;
  const submit = () => submitFilmNode(client, workflow, node, assets);
  return (await memory.during(label, submit, thinning)).peak;
}

test.each<[name: string, short: Given, hour: Given]>([
  ["video/split", { film: "minuteFilm" }, { film: "hourFilm" }],
  ["video/extract_audio", { film: "longSound" }, { film: "hourFilm" }],
  ["video/thumbnail", { shown: "minuteFilm" }, { shown: "hourFilm" }],
  ["video/add_subtitles", { film: "minuteFilm" }, { film: "hourFilm" }],
  ["video/mux_audio", { film: "longSound", m4a: "longM4a" }, { film: "hourFilm", m4a: "hourM4a" }],
  // Sound is encoded: a minute of it. Two hours of pictures alone.
  ["video/concat", { film: "smallFilm" }, { film: "wideFilm" }],
  ["video/concat", { film: "silentMinute" }, { film: "silentHour" }],
  ["audio/split", { wav: "shortMono" }, { wav: "hour" }],
  ["aggregate/audio_timeline", { wav: "short" }, { wav: "long" }],
  [
    "utility/dubbing_manifest",
    { wav: "shortMono", untimed: "untimedMinute" },
    { wav: "shortMono", untimed: "untimedHour" },
  ],
])(
  "%s holds less than 64 MB of 240 MB or an hour, and what it holds of less",
  { timeout: 600_000 },
  async (name, short, long) => {
    const held = await heldBy(name, long, THINNING);
    expect(held).toBeLessThan(LIVE_BYTES_MAX);
    await expectNoMore(held, () => heldBy(name, short));
  },
);

test.each(["convert", "quality_report"])(
  "audio/%s holds for an hour what it holds for five minutes",
  { timeout: 600_000 },
  async (name) => {
    const node = SOUND_NODES[name]!;
    const { client } = memory.watched;
    const workflow = await publishSoundNode(client, node);
    const heldOf = async (sound: keyof typeof SOUNDS, thinning = 1) => {
      const path = await memory.path(sound);
      const submit = () => submitSoundNode(client, workflow, node, path);
      return (await memory.during(`${name}, ${sound}`, submit, thinning)).peak;
    };
    const hour = await heldOf("hour", THINNING);
    expect(hour).toBeLessThan(LIVE_BYTES_MAX);
    await expectNoMore(hour, () => heldOf("shortMono"));
  },
);

test(
  "twenty tasks of as many tenants stay below 100 MB together, and release all of it",
  { timeout: 600_000 },
  async () => {
    const media = memory.watched.watch("media");
    const acts: (() => Promise<unknown>)[] = [];
    for (let i = 0; i < TENANTS; i++) {
      const tenant = await memory.watched.newTenant();
      const asset = await tenant.upload("a.wav", longWav(20));
      const node = SOUND_NODES[QUICK[i % QUICK.length]!]!;
      const workflow = await publishSoundNode(tenant.client, node);
      acts.push(async () =>
        tenant.ended(await submitSoundNode(tenant.client, workflow, node, asset)),
      );
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
