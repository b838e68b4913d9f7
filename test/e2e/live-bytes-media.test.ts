/**
 * The memory of each node of sound: below 64 MB for ten minutes of 48 kHz stereo, and the same within 2 MB for a sound of a
 * quarter of it.
 */
import "../support/only-in-proof.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectFound } from "../support/node/live-bytes/expect-found.ts";
import { expectNoMore } from "../support/node/live-bytes/expect-no-more.ts";
import { LIVE_BYTES_MAX } from "../support/node/live-bytes/live-bytes-watch.ts";
import { MediaMemory } from "../support/node/live-bytes/media-memory.ts";
import { MEDIA_FAULT } from "../support/node/live-bytes/watch-points.ts";
import {
  publishSoundNode,
  SOUND_NODES,
  submitSoundNode,
} from "../support/node/media/sound-workflows.ts";

const STEREO = { rate: 48_000, channels: 2 };

let memory: MediaMemory;

beforeAll(async () => {
  memory = await MediaMemory.start({
    sounds: {
      // More than two parts of a file, which is as many as are held.
      short: { seconds: 150, ...STEREO },
      long: { seconds: 600, ...STEREO },
    },
  });
});

afterAll(() => memory?.stop());

async function submit(name: string, sound: string): Promise<() => Promise<string>> {
  const node = SOUND_NODES[name]!;
  const { client } = memory.watched;
  const asset = await memory.path(sound);
  const workflow = await publishSoundNode(client, node);
  return () => submitSoundNode(client, workflow, node, asset);
}

/** A long sound has four times the parts and blocks of a short one: as many samples, from its beginning to its end. */
const THINNING = { short: 1, long: 4 };

async function heldBy(name: string, sound: keyof typeof THINNING): Promise<number> {
  const act = await submit(name, sound);
  return (await memory.during(`${name}, ${sound}`, act, THINNING[sound])).peak;
}

test.each(Object.entries(SOUND_NODES))(
  "audio/%s holds less than 64 MB, however long its sounds are",
  { timeout: 900_000 },
  async (name) => {
    const long = await heldBy(name, "long");
    expect(long).toBeLessThan(LIVE_BYTES_MAX);
    await expectNoMore(long, () => heldBy(name, "short"));
  },
);

test("parts of a sound that are kept are found", async () => {
  const { watched } = memory;
  const convert = await submit("convert", "long");
  const { peak } = await watched.watch("media").duringFault(MEDIA_FAULT, async () => {
    await watched.ended(await convert());
    await watched.ended(await convert());
  });
  expectFound("parts of a sound", peak, LIVE_BYTES_MAX);
});
