import { execFileSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { publish } from "../scripts/provision.ts";
import { submitRun, waitForRun } from "../scripts/run-workflow.ts";
import { uploadAsset } from "../scripts/upload-asset.ts";
import { longWav } from "../test/support/node/media/long-sounds.ts";
import { type RunningService, startService } from "../test/support/node/start-service.ts";
import { atLeast, type Figure } from "./figure.ts";
import { processorTimeUs } from "./processor-time.ts";
import { median, spread } from "./statistics.ts";

const ALONE = fileURLToPath(new URL("sounds-alone.ts", import.meta.url));
const HOOKS = fileURLToPath(new URL("load-wasm.mjs", import.meta.url));
const SECONDS = 10;
const FORMAT = "mp3";
/** Of the loop's throughput. */
const SHARE = 0.7;

/**
 * Files of ten seconds through `audio/convert` in one run, beside a loop over the same files without a service: files a second, and
 * processor time, which other load does not change.
 */
export async function measureSoundFiles(
  directory: string,
  { files = 100, rounds = 3 } = {},
): Promise<Figure[]> {
  await mkdir(directory, { recursive: true });
  const name = "ten.wav";
  await pipeline(Readable.from(longWav(SECONDS)), createWriteStream(join(directory, name)));
  const service = await startService({ directory: join(directory, "service") });
  try {
    const ours: number[] = [];
    const loops: number[] = [];
    /** Processor time for a file. */
    const [oursMs, loopsMs]: [number[], number[]] = [[], []];
    const workerd = await service.workerdPid();
    const convert = await converter(service, files);
    // One run before, in which the service compiles.
    await convert();
    for (let round = 0; round < rounds; round++) {
      const beforeUs = await processorTimeUs(workerd);
      ours.push((files * 1_000) / (await convert()));
      oursMs.push(((await processorTimeUs(workerd)) - beforeUs) / 1_000 / files);
      const args = ["--import", HOOKS, ALONE, `loop:${FORMAT}`, directory, "1"];
      const names = Array.from({ length: files }, () => name);
      const output = execFileSync(process.execPath, [...args, ...names], {
        encoding: "utf8",
        env: { ...process.env, NODE_NO_WARNINGS: "1" },
      });
      const { wallMs, samples } = JSON.parse(output) as Record<"wallMs" | "samples", number[]>;
      loops.push((files * 1_000) / (wallMs[0] ?? Number.NaN));
      loopsMs.push((samples[0] ?? Number.NaN) / files);
    }
    const row = `${files} WAV files of ${SECONDS} s to MP3 in one run`;
    const beside = "a loop of the same tool, without a service";
    return [
      {
        name: row,
        unit: "files/s",
        ours: spread(ours),
        beside: [{ name: beside, value: spread(loops) }],
        targets: [atLeast(">= 0.7 x the loop", median(ours) / median(loops), SHARE)],
      },
      {
        name: `${row}, of workerd with the API, the engine and the store`,
        unit: "ms of processor time for a file",
        ours: spread(oursMs),
        beside: [{ name: beside, value: spread(loopsMs) }],
        targets: [
          atLeast(">= 0.7 x the files of the loop", median(loopsMs) / median(oursMs), SHARE),
        ],
      },
    ];
  } finally {
    await service.stop();
  }
}

/** Submits such a run; resolves with its milliseconds. */
async function converter(
  { client }: RunningService,
  files: number,
): Promise<() => Promise<number>> {
  const bytes = Buffer.concat([...longWav(SECONDS)]);
  const path = await uploadAsset(client, "ten.wav", bytes);
  const numbers = Array.from({ length: files }, (_none, index) => index);
  const link = (from: string, port: string, to: string, into: string) => ({
    from: { node: from, port },
    to: { node: to, port: into },
  });
  const definition = {
    nodes: numbers.flatMap((n) => [
      { id: `in_${n}`, type: "input/audio", label: `in_${n}` },
      { id: `made_${n}`, type: "audio/convert", parameters: { format: FORMAT } },
      { id: `out_${n}`, type: "output/audio", parameters: { key: `out_${n}` } },
    ]),
    connections: numbers.flatMap((n) => [
      link(`in_${n}`, "audio", `made_${n}`, "audio"),
      link(`made_${n}`, "audio", `out_${n}`, "audio"),
    ]),
  };
  const workflow = await publish(client, { name: "bench sounds", definition } as never);
  const inputs = Object.fromEntries(numbers.map((n) => [`in_${n}`, { asset_path: path }]));
  return async () => {
    const from = performance.now();
    const id = await submitRun(client, { workflow, inputs } as never);
    const { status } = await waitForRun(client, id, { timeoutMs: 300_000 });
    if (status !== "completed") {
      throw new Error(`A run of ${files} conversions ended as ${status}.`);
    }
    return performance.now() - from;
  };
}
