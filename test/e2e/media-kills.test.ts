/**
 * SIGKILL in the middle of each node of sound and film, and cancels in the middle of a decode and of a copy (docs/contract/media.md): a
 * killed run ends, with its files once and one charge; a cancelled one leaves nothing, and the next task of the isolate begins at once.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { waitForRun } from "../../scripts/run-workflow.ts";
import type { Trace } from "../../src/contracts/runs/trace.ts";
import { keysIn, unfinishedIn } from "../chaos/stored-files.ts";
import {
  FILM_NODES,
  type FilmAssets,
  publishFilmNode,
  submitFilmNode,
} from "../support/node/media/film-workflows.ts";
import { goldenMedia, longFilm } from "../support/node/media/long-films.ts";
import { longMp3, longWav } from "../support/node/media/long-sounds.ts";
import {
  HEARING,
  publishSoundNode,
  SOUND_NODES,
  submitSoundNode,
} from "../support/node/media/sound-workflows.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { uploadStream } from "../support/node/upload-stream.ts";
import { testInProof } from "../support/in-proof.ts";
import { IS_PROOF, sizeOf } from "../support/sizes.ts";
import { waitUntil } from "../support/wait-until.ts";

/** The nodes that are killed; the small size takes one that writes. */
const KILLED = Object.entries(SOUND_NODES).slice(0, sizeOf("soundKills"));
const CANCELS = sizeOf("soundCancels");
/** Of the WAV; slow nodes get a fifth of it. Its result has many parts. */
const LONG_SECONDS = 240;
const MB = 1024 * 1024;
const CANCELLED_WITHIN_MS = 2_000;

let directory: string;
let service: RunningService;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-media-kills-"));
  service = await startService({ directory });
});

afterAll(async () => {
  await service?.stop();
  await rm(directory, { recursive: true, force: true });
});

async function traceOf(id: string) {
  const trace = await service.client.call<Trace>("GET", `/api/v1/executions/${id}/trace`);
  return trace.nodes.find(({ node_id: node }) => node === "made");
}

const isRunning = (id: string) =>
  waitUntil("the node to run", async () => (await traceOf(id))?.state === "running");

const stored = () => join(directory, "r2");
const of = (keys: readonly string[], id: string) => keys.filter((key) => key.includes(id));
const filesOf = async (id: string) => of(await keysIn(stored()), id);
const partsOf = async (id: string) => of(await unfinishedIn(stored()), id);
const hasWritten = (id: string) =>
  waitUntil("a part of its file", async () => (await partsOf(id)).length > 0);

/** A run whose node is killed. */
interface KilledRun {
  readonly name: string;
  readonly submit: () => Promise<string>;
  /** Its files have parts that are stored before its end. */
  readonly hasParts: boolean;
  readonly files: number;
  readonly credits: number;
}

/** A quick node may have ended when it is killed, or not have begun: each try waits for another time. */
const KILL_DELAYS_MS = [0, 50, 150, 400, 800, 20, 250, 1_200];
const KILL_TRIES = KILL_DELAYS_MS.length;

/**
 * Kills the service while the node works, and starts it again; once more, if the node turns out not to have worked. Resolves
 * with a line of the log.
 */
async function killDuring(run: KilledRun): Promise<string> {
  let killed: { readonly line: string; readonly attempts: number };
  let tries = 0;
  do {
    // oxlint-disable-next-line no-await-in-loop -- kill after kill
    killed = await killOnce(run, KILL_DELAYS_MS[tries] ?? 0);
    tries += 1;
    // The attempt of a worker that was lost counts.
  } while (killed.attempts < 2 && tries < KILL_TRIES);
  // What makes files had none at any kill, so it had not ended.
  if (killed.attempts < 2 && run.files === 0) {
    throw new Error(`${run.name} had ended before each of ${KILL_TRIES} kills, or not begun.`);
  }
  return killed.line;
}

async function killOnce({ name, submit, hasParts, files, credits }: KilledRun, delayMs: number) {
  const workerd = await service.workerdPid();
  const id = await submit();
  await isRunning(id);
  if (hasParts) {
    await hasWritten(id);
  } else if (files === 0) {
    await sleep(delayMs);
  }
  await service.kill(workerd);
  // Before its end, else nothing is proven.
  expect(await filesOf(id), name).toEqual([]);
  const began = performance.now();
  service = await startService({ directory, port: service.port });
  const execution = await waitForRun(service.client, id);
  expect([name, execution.status, execution.credits_used]).toEqual([name, "completed", credits]);
  expect(await filesOf(id), name).toHaveLength(files);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  return { line: `${name} ${seconds} s`, attempts: (await traceOf(id))?.attempt_count ?? 0 };
}

it(
  `after a kill during each of ${KILLED.length} nodes every run has ended, with one charge and its files once`,
  async () => {
    const { client } = service;
    const whole = await uploadStream(client, "whole.wav", longWav(LONG_SECONDS));
    const fifth = await uploadStream(client, "fifth.wav", longWav(LONG_SECONDS / 5));
    const times: string[] = [];
    for (const [name, node] of KILLED) {
      const workflow = await publishSoundNode(service.client, node);
      const asset = node.isSlow === true ? fifth : whole;
      times.push(
        await killDuring({
          name,
          submit: () => submitSoundNode(service.client, workflow, node, asset),
          hasParts: node.files.length > 0,
          files: node.files.length,
          credits: node.credits,
        }),
      );
    }
    process.stderr.write(`media kills: ${times.join(", ")}\n`);
  },
  KILLED.length * 60_000 + 60_000,
);

let films: Promise<FilmAssets> | undefined;

testInProof(
  "after a kill during each node of film, of cuts, of timelines and of dubbing manifests every run has ended, with one charge and its files once",
  async () => {
    films ??= uploadFilms();
    const assets = await films;
    const times: string[] = [];
    for (const [name, node] of Object.entries(FILM_NODES)) {
      const workflow = await publishFilmNode(service.client, node);
      times.push(
        await killDuring({
          name,
          submit: () => submitFilmNode(service.client, workflow, node, assets),
          hasParts: node.isLarge,
          files: node.files,
          credits: node.credits,
        }),
      );
    }
    process.stderr.write(`film kills: ${times.join(", ")}\n`);
  },
  600_000,
);

testInProof(
  "a film or a timeline that is cancelled with parts of its file stored leaves nothing, and the next task begins",
  async () => {
    films ??= uploadFilms();
    const assets = await films;
    const { client } = service;
    for (const name of ["video/concat", "aggregate/audio_timeline"]) {
      const node = FILM_NODES[name]!;
      const workflow = await publishFilmNode(client, node);
      const id = await submitFilmNode(client, workflow, node, assets);
      await hasWritten(id);
      await client.call("POST", `/api/v1/executions/${id}/cancel`);
      const { status, credits_used: credits } = await waitForRun(client, id);
      expect([name, status, credits]).toEqual([name, "cancelled", 0]);
      // The isolate has room for one of them, so that the cancelled task has ended when this one has.
      const next = FILM_NODES["video/thumbnail"]!;
      const after = await submitFilmNode(client, await publishFilmNode(client, next), next, assets);
      expect(await waitForRun(client, after)).toMatchObject({ status: "completed" });
      expect([...(await filesOf(id)), ...(await partsOf(id))]).toEqual([]);
    }
  },
  300_000,
);

async function uploadFilms(): Promise<FilmAssets> {
  const { client } = service;
  return {
    film: await uploadStream(client, "film.mp4", longFilm({ seconds: 40, bytes: 60 * MB })),
    shown: await uploadStream(
      client,
      "film.webm",
      longFilm({ container: "webm", seconds: 3_000, bytes: 100 * MB }),
    ),
    wav: await uploadStream(client, "sound.wav", longWav(LONG_SECONDS)),
    m4a: await uploadStream(client, "sound.m4a", [goldenMedia("aac.m4a")]),
    untimed: await uploadStream(
      client,
      "untimed.webm",
      longFilm({ container: "webm", seconds: 3_000, bytes: 200 * MB, isTimed: false }),
    ),
  };
}

/** The node that is cancelled, its sound, and the moment. */
const CANCELLED = {
  // Few bytes a second: seconds of computing lie between two ranges of the file.
  "while it decodes": [SOUND_NODES["speech_enhance"]!, "long.mp3", () => longMp3(3_599), isRunning],
  "with parts of its file stored": [
    SOUND_NODES["mix"]!,
    "long.wav",
    () => longWav(LONG_SECONDS),
    hasWritten,
  ],
  // Its frames are counted first.
  "while it is decoded for a model": [HEARING, "heard.mp3", () => longMp3(3_599), isRunning],
} as const;

it.each(Object.entries(CANCELLED))(
  "a task that is cancelled %s ends, and leaves nothing",
  async (_when, [node, file, sound, isUnderWay]) => {
    const { client } = service;
    const asset = await uploadStream(client, file, sound());
    const short = await uploadStream(client, "short.wav", longWav(1));
    const meter = SOUND_NODES["quality_report"]!;
    const workflow = await publishSoundNode(client, node);
    const next = await publishSoundNode(client, meter);
    const tookMs: number[] = [];
    for (let i = 0; i < CANCELS; i++) {
      const id = await submitSoundNode(client, workflow, node, asset);
      await isUnderWay(id);
      const began = performance.now();
      await client.call("POST", `/api/v1/executions/${id}/cancel`);
      // It begins when the cancelled task has released its memory: the isolate has room for one of them.
      const after = await submitSoundNode(client, next, meter, short);
      expect(await waitForRun(client, after)).toMatchObject({ status: "completed" });
      tookMs.push(performance.now() - began);
      const { status, credits_used: credits } = await waitForRun(client, id);
      expect([status, credits]).toEqual(["cancelled", 0]);
      expect([...(await filesOf(id)), ...(await partsOf(id))]).toEqual([]);
    }
    process.stderr.write(
      `media cancels: the next task had ended after ${tookMs.map(Math.round).join(", ")} ms\n`,
    );
    if (IS_PROOF) {
      // The fastest, because other processes use this machine too.
      expect(Math.min(...tookMs)).toBeLessThan(CANCELLED_WITHIN_MS);
    }
  },
  CANCELS * 60_000 + 60_000,
);
