/** Rules of the nodes of sound and film that their catalog entries do not show (docs/contract/media.md). */
import { scheduler } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { MEDIA_LIMITS } from "../../../src/lib/limits/media-limits.ts";
import { NODE_TYPES } from "../../../src/nodes/registry.ts";
import { toneFile } from "../../support/media/tone-file.ts";
import {
  canonicalResultOf,
  type CaseFile,
  type CasePorts,
} from "../../support/results/run-case.ts";
import { nodeOf, problemsOf } from "./run-node.ts";

beforeAll(() => {
  // The tools for sound give their turn away with it, as Workers do; Node has it in a module.
  vi.stubGlobal("scheduler", scheduler);
});
afterAll(() => {
  vi.unstubAllGlobals();
});

const RATE = 8_000;
const tone = (frames: number): CaseFile => ({
  file: `${frames}.wav`,
  type: "audio/wav",
  bytes: toneFile(RATE, 1, frames, 0.2),
});
const [SHORT, MIDDLE, LONG] = [4_000, 5_000, 6_000];

/** The report of a node on these inputs, or the code of its failure. */
async function reportOf(type: string, params: object, ports: CasePorts, report: string) {
  const made = await canonicalResultOf(nodeOf(type), {
    name: "rule",
    params: params as never,
    ports,
  });
  const outputs = JSON.parse(made) as Record<
    string,
    { readonly output?: { readonly samples: number } }
  >;
  return outputs[report]?.output?.samples ?? outputs["failed"];
}

describe("the length of", () => {
  test.each([
    ["longest", LONG],
    ["shortest", SHORT],
    ["first", MIDDLE],
  ])("a mix is that of the %s track", async (length, samples) => {
    const tracks = [MIDDLE, LONG, SHORT].map(tone);
    expect(await reportOf("audio/mix", { length }, { tracks }, "processing_report")).toBe(samples);
  });

  test("joined clips is their sum, and each gap, and less each crossfade", async () => {
    const joined = (params: object) =>
      reportOf(
        "audio/concat",
        params,
        { clips: [SHORT, LONG, MIDDLE].map(tone) },
        "processing_report",
      );
    expect(await joined({})).toBe(SHORT + LONG + MIDDLE);
    expect(await joined({ gap_seconds: 0.5 })).toBe(SHORT + LONG + MIDDLE + 2 * 4_000);
    expect(await joined({ crossfade_ms: 100 })).toBe(SHORT + LONG + MIDDLE - 2 * 800);
    // At most half of the shorter one of two clips.
    expect(await joined({ crossfade_ms: 10_000 })).toBe(
      SHORT + LONG + MIDDLE - SHORT / 2 - MIDDLE / 2,
    );
  });

  test.each([
    [{ length: "longest" }, LONG],
    [{ length: "foreground" }, SHORT],
    [{ length: "background" }, LONG],
    [{ length: "longest", loop_background: true }, SHORT],
  ])("a ducked background with %j is as stated", async (params, samples) => {
    const ports = { foreground: tone(SHORT), background: tone(LONG) };
    expect(await reportOf("audio/duck", params, ports, "ducking_report")).toBe(samples);
  });
});

describe("at publish", () => {
  test.each<[string, object, readonly string[], RegExp]>([
    [
      "audio/concat",
      { gap_seconds: 1, crossfade_ms: 5 },
      ["clips", "clips"],
      /^crossfade_ms: INVALID_PARAMETER|^gap_seconds: INVALID_PARAMETER/,
    ],
    ["audio/mix", { gains_db: [0, 1, 2] }, ["tracks", "tracks"], /^gains_db\S*: INVALID_PARAMETER/],
    [
      "audio/duck",
      { profile: "custom" },
      ["foreground", "background"],
      /^threshold_db: INVALID_PARAMETER/,
    ],
    ["audio/fit_duration", {}, ["audio", "target_start"], /^target_end: PORT_NOT_CONNECTED/],
    ["audio/fit_duration", {}, ["audio"], /^target_duration: PORT_NOT_CONNECTED/],
    ["video/extract_audio", { sample_rate: 8_000 }, ["video"], /^sample_rate: INVALID_PARAMETER/],
    ["video/add_subtitles", {}, ["video"], /: PORT_NOT_CONNECTED/],
  ])("%s with %j and the inputs %j has its issue", (type, params, connected, issue) => {
    expect(problemsOf(type, params, connected).join("\n")).toMatch(issue);
  });

  test.each<[string, object, readonly string[]]>([
    ["audio/concat", { gap_seconds: 1 }, ["clips"]],
    ["audio/mix", { gains_db: [0, 1] }, ["tracks", "tracks"]],
    [
      "audio/duck",
      { profile: "custom", threshold_db: -20, ratio: 2, attack_ms: 5, release_ms: 50 },
      ["foreground", "background"],
    ],
    ["audio/fit_duration", {}, ["audio", "target_start", "target_end"]],
    ["video/extract_audio", { format: "wav", sample_rate: 8_000 }, ["video"]],
  ])("%s with %j and the inputs %j has none", (type, params, connected) => {
    expect(problemsOf(type, params, connected)).toEqual([]);
  });
});

test("each attempt of a node of sound or film has 600 s", () => {
  const media = NODE_TYPES.filter(
    (node) =>
      "needs" in node &&
      (node.needs as readonly string[]).some((tool) => tool === "audio" || tool === "video"),
  );
  expect(media.length).toBeGreaterThan(15);
  for (const node of media) {
    expect([node.type, "timeLimitMs" in node && node.timeLimitMs]).toEqual([node.type, 600_000]);
  }
  expect(MEDIA_LIMITS.decoded_duration.value).toBe(3_600_000);
});
