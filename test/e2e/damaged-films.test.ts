/**
 * Damaged films in every node of videos, in the media Worker itself: each node ends at its first attempt, with a result or with a code
 * of the film, and a whole film is worked on as before after all of them. `unit/media/film/fuzz-films` and `cut-films` have more films
 * and judge what is written.
 */
import "../support/only-in-proof.ts";
import { readFile } from "node:fs/promises";
import { beforeAll, expect, it } from "vitest";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import type { Trace } from "../../src/contracts/runs/trace.ts";
import { SeededRandom } from "../simulation/seeded-random.ts";
import { damagedFilm } from "../support/media/damaged-film.ts";
import { FILM_REFUSALS } from "../support/media/film-refusals.ts";
import { node, publishDefinition, wire } from "../support/node/run-definition.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";

const FOLDERS = {
  "h264-aac.mp4": "golden/media",
  "hevc-b-frames.mp4": "fixtures/codecs",
  "av1.mp4": "fixtures/codecs",
  "vp8-opus.webm": "golden/media",
  "vp9.webm": "fixtures/codecs",
} as const;
const FILMS_OF_EACH = 6;
const CUES = "1\n00:00:00,000 --> 00:00:01,000\na\n";

const NODES = [
  ["split", "video/split", { segments: [{ start: "0.1", end: "0.3" }] }, "segment_0", "video"],
  ["shot", "video/thumbnail", { at: 0.2 }, "image", "image"],
  ["joined", "video/concat", {}, "video", "video"],
  ["sound", "video/extract_audio", {}, "audio", "audio"],
  ["titled", "video/add_subtitles", {}, "video", "video"],
] as const;

let service: SharedService;
let workflow: string;

beforeAll(async () => {
  service = await sharedService();
  workflow = await publishDefinition(service, {
    nodes: [
      node("film", "input/video"),
      node("cues", "input/text"),
      ...NODES.flatMap(([id, type, parameters, , kind]) => [
        node(id, type, parameters),
        node(`${id}_out`, `output/${kind}`, { key: id }),
      ]),
    ],
    connections: [
      wire("cues.text", "titled.subtitles"),
      ...NODES.flatMap(([id, type, , port, kind]) => [
        wire("film.video", `${id}.${type === "video/concat" ? "clips" : "video"}`),
        wire(`${id}.${port}`, `${id}_out.${kind}`),
      ]),
    ],
  });
});

/** How each node of a run on a film ended: its state, its code, and its attempts. */
async function endsOf(name: string, bytes: Uint8Array) {
  const { client } = service;
  const path = await uploadAsset(client, name, bytes);
  const inputs = { film: { asset_path: path }, cues: { value: JSON.stringify(CUES) } };
  const id = await submitRun(client, { workflow, inputs });
  await waitForRun(client, id);
  const { nodes } = await client.call<Trace>("GET", `/api/v1/executions/${id}/trace`);
  return NODES.map(([of]) => nodes.find(({ node_id: found }) => found === of));
}

const golden = async (name: keyof typeof FOLDERS) =>
  new Uint8Array(await readFile(new URL(`../${FOLDERS[name]}/${name}`, import.meta.url).pathname));

it.each(Object.keys(FOLDERS) as (keyof typeof FOLDERS)[])(
  "%s ends with results or codes, damaged in many ways",
  async (name) => {
    const whole = await golden(name);
    const before = (await endsOf(name, whole)).map((ended) => [ended?.state, ended?.error?.code]);
    expect(before).toContainEqual(["completed", undefined]);
    let refused = 0;
    for (let round = 0; round < FILMS_OF_EACH; round++) {
      const bytes = damagedFilm(new SeededRandom(whole.length + round), whole);
      for (const ended of await endsOf(name, bytes)) {
        const code = ended?.error?.code;
        expect(["completed", "failed", "cancelled", "blocked"]).toContain(ended?.state);
        expect(ended?.attempt_count, `film ${round}, ${code}`).toBeLessThanOrEqual(1);
        if (code !== undefined && ended?.state === "failed") {
          refused++;
          expect([...FILM_REFUSALS], `film ${round}`).toContain(code);
        }
      }
    }
    expect(refused).toBeGreaterThan(0);
    const after = (await endsOf(name, whole)).map((ended) => [ended?.state, ended?.error?.code]);
    expect(after).toEqual(before);
  },
);
