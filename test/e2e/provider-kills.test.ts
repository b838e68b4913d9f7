/**
 * SIGKILL at every moment of calls of models (docs/contract/models.md#calls, #jobs), of providers that answer at once, with
 * and without keys, and that work in jobs: every run ends, is charged once, and has at most one repeat, which its trace counts.
 * Each kill finds several calls, each held at another moment. Two services are killed in turns, because a kill waits for most of
 * its time.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KillLane } from "../support/node/kill-lane.ts";
import { POINTS, type Point, pointsOf, SUBJECTS } from "../support/providers/kill-subjects.ts";
import { IS_PROOF, sizeOf } from "../support/sizes.ts";

const KILLS = sizeOf("providerKills");
const LANES = IS_PROOF ? 2 : 1;
/** Calls of a kill besides the one that receives its file. */
const LIGHT = IS_PROOF ? 2 : 6;

let directory: string;
const lanes: KillLane[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-kills-"));
  for (let lane = 0; lane < LANES; lane++) {
    // oxlint-disable-next-line no-await-in-loop -- two services
    lanes.push(await KillLane.open(join(directory, String(lane))));
  }
});

afterAll(async () => {
  await Promise.all(lanes.map((lane) => lane.close()));
  await rm(directory, { recursive: true, force: true });
});

it(
  `after ${KILLS} kills every call has ended, is charged once and was repeated at most once`,
  async () => {
    const met = new Set<Point>();
    const all = new Set(Array.from({ length: KILLS }, (_, kill) => pointsOf(kill, LIGHT)).flat());
    let [moments, repeated, next] = [0, 0, 0];
    const inLane = async (lane: KillLane) => {
      for (let kill = next++; kill < KILLS; kill = next++) {
        const points = pointsOf(kill, LIGHT);
        // oxlint-disable no-await-in-loop -- one kill after the other
        const { runs, reached } = await lane.killedAt(points);
        for (const [call, { subject, moment }] of points.entries()) {
          const label = `kill ${kill}, ${subject}: ${moment?.name ?? "submitted"}`;
          const { status, credits, calls, repeats, asked } = await lane.ended(
            subject,
            call,
            runs[call]!,
          );
          const expected = SUBJECTS[subject]!.credits;
          expect([label, status, credits]).toEqual([label, "completed", expected]);
          expect([label, calls, repeats <= 1]).toEqual([label, 1 + repeats, true]);
          // A worker that was lost before it sent looks like one that was lost afterwards.
          expect([label, asked >= 1 && asked <= calls]).toEqual([label, true]);
          repeated += repeats;
        }
        // oxlint-enable no-await-in-loop
        moments += reached.length;
        reached.forEach((point) => met.add(point));
      }
    };
    await Promise.all(lanes.map(inLane));
    process.stderr.write(
      `provider kills: ${KILLS} at ${moments} moments of calls, ${met.size} of ${POINTS.length} kinds, ${repeated} repeats\n`,
    );
    // Else no kill hit a call in flight, and the test proves nothing.
    expect(repeated).toBeGreaterThan(0);
    // A call that comes to no moment within a minute is rare, and no moment is always missed.
    expect(moments).toBeGreaterThanOrEqual(KILLS * (LIGHT + 1) - Math.ceil(KILLS / 50));
    expect([...all].filter((point) => !met.has(point))).toEqual([]);
  },
  KILLS * 20_000 + 240_000,
);
