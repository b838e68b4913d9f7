/** The dub of `samples/dub`: its workflow, published through the API, and a run of it on its film and its table of cues. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DubbingManifest } from "../src/contracts/media/dubbing-manifest.ts";
import type { ApiClient } from "./api-client.ts";
import { publish, readSample, SAMPLES_DIR } from "./provision.ts";
import { readResult, runToEnd } from "./run-workflow.ts";
import { saveOutputs } from "./save-outputs.ts";
import { uploadAsset } from "./upload-asset.ts";

export interface Dub {
  readonly cues: number;
  /** In seconds. */
  readonly duration: number;
  readonly speakers: readonly string[];
}

/**
 * Has the sample model speak the cues, each in the voice of its speaker, and saves the film with the dub and its subtitles, a
 * picture of it, the voices alone and the manifest. Throws if the run does not complete, or if a check of the manifest failed.
 */
export async function makeDub(
  client: ApiClient,
  { directory }: { readonly directory: string },
): Promise<Dub> {
  await mkdir(directory, { recursive: true });
  const upload = async (name: string) =>
    await uploadAsset(client, name, new Uint8Array(await readFile(join(SAMPLES_DIR, "dub", name))));
  const [film, table] = [await upload("film.mp4"), await upload("cues.csv")];
  const workflow = await publish(client, await readSample("dub/workflow.json"));
  const runId = await runToEnd(client, "The dub", {
    workflow,
    inputs: { film: { asset_path: film }, table: { asset_path: table } },
  });
  const result = await readResult(client, runId);
  await saveOutputs(result, directory);
  // The node has checked the document against its contract.
  const manifest = result.result.by_key["manifest"]?.value as DubbingManifest;
  if (!manifest.passed) {
    throw new Error("The dub did not pass its checks.");
  }
  return {
    cues: manifest.cues.length,
    duration: manifest.timeline.duration_seconds,
    speakers: manifest.speakers.map(({ speaker, voice }) => `${speaker} (${voice})`),
  };
}
