/** The podcast of `samples/podcast`: its workflow, published through the API, and a run of it. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AudioQualityReport } from "../src/contracts/media/audio-reports.ts";
import type { ApiClient } from "./api-client.ts";
import { drawWaveforms } from "./draw-waveform.ts";
import { podcastMusic } from "./podcast-music.ts";
import { publish, readSample } from "./provision.ts";
import { readResult, runToEnd } from "./run-workflow.ts";
import { saveOutputs } from "./save-outputs.ts";
import { uploadAsset } from "./upload-asset.ts";

/** The sample voice rests for a quarter of a second at each ellipsis. */
const PAUSE = "… … … … … …";
const SCRIPT = [
  PAUSE,
  "Welcome to the Edgeloom hour.",
  "Today a voice speaks over music, and the music gives way.",
  PAUSE,
  "When the voice rests, the music returns.",
  PAUSE,
].join(" ");

export interface Podcast {
  /** What the meter read of the episode, as it was written. */
  readonly report: AudioQualityReport;
}

/**
 * Has the sample model speak, places the voice over music, and saves the episode, its report, and a picture of the voice
 * and the music. Throws if the run does not complete, or if the episode did not pass its gate.
 */
export async function makePodcast(
  client: ApiClient,
  { directory }: { readonly directory: string },
): Promise<Podcast> {
  await mkdir(directory, { recursive: true });
  const music = await uploadAsset(client, "music.wav", podcastMusic());
  const workflow = await publish(client, await readSample("podcast/workflow.json"));
  const runId = await runToEnd(client, "The podcast", {
    workflow,
    inputs: { script: { value: JSON.stringify(SCRIPT) }, music: { asset_path: music } },
  });
  const result = await readResult(client, runId);
  await saveOutputs(result, directory);
  const [voice, ducked] = await Promise.all(
    ["voice.wav", "music.wav"].map((name) => readFile(join(directory, name))),
  );
  if (voice === undefined || ducked === undefined) {
    throw new Error("The podcast's run has no sounds.");
  }
  const picture = await drawWaveforms([
    { title: "Voice", wav: voice, color: "#0d9488" },
    { title: "Music, which gives way to the voice", wav: ducked, color: "#7c3aed" },
  ]);
  await writeFile(join(directory, "waveform.svg"), picture);
  return { report: AudioQualityReport.parse(result.result.by_key["report"]?.value) };
}
