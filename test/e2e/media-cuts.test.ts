/** Nodes that cut sounds in real runs: every part is measured, and lossless ones are compared with the whole, by other nodes. */
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { wavFile } from "../support/media/wav-file.ts";
import { readOutputs } from "../support/node/read-outputs.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";

let service: SharedService;

beforeAll(async () => {
  service = await sharedService();
});

const golden = (name: string) =>
  readFile(new URL(`../golden/media/${name}`, import.meta.url).pathname);

interface Cut {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly segments: readonly (readonly [start: string, end: string])[];
  readonly form?: object;
}

interface Stored {
  readonly name: string | undefined;
  readonly type: string | null;
  readonly bytes: Buffer;
}

const wire = (from: string, to: string) => {
  const [a, b] = from.split(".");
  const [c, d] = to.split(".");
  return { from: { node: a, port: b }, to: { node: c, port: d } };
};

/** Splits sounds in one run. Each whole and each part is measured, and written as a WAV of 24 bits. */
async function split(cuts: readonly Cut[]) {
  const sounds = cuts.flatMap(({ segments }, index) => [
    { key: `whole_${index}`, port: `in_${index}.audio` },
    ...segments.map((_segment, at) => ({
      key: `part_${index}_${at}`,
      port: `cut_${index}.segment_${at}`,
    })),
  ]);
  const definition = {
    nodes: [
      ...cuts.flatMap(({ segments, form }, index) => [
        { id: `in_${index}`, type: "input/audio" },
        {
          id: `cut_${index}`,
          type: "audio/split",
          parameters: { segments: segments.map(([start, end]) => ({ start, end })), ...form },
        },
      ]),
      ...sounds.flatMap(({ key }) => [
        { id: `file_${key}`, type: "output/audio", parameters: { key } },
        { id: `meter_${key}`, type: "audio/quality_report" },
        { id: `metrics_${key}`, type: "output/json", parameters: { key: `metrics_${key}` } },
        { id: `plain_${key}`, type: "audio/convert", parameters: { format: "wav", bit_depth: 24 } },
        { id: `wav_${key}`, type: "output/audio", parameters: { key: `wav_${key}` } },
      ]),
    ],
    connections: [
      ...cuts.map((_cut, index) => wire(`in_${index}.audio`, `cut_${index}.audio`)),
      ...sounds.flatMap(({ key, port }) => [
        wire(port, `file_${key}.audio`),
        wire(port, `meter_${key}.audio`),
        wire(`meter_${key}.metrics`, `metrics_${key}.json`),
        wire(port, `plain_${key}.audio`),
        wire(`plain_${key}.audio`, `wav_${key}.audio`),
      ]),
    ],
  };
  const workflow = await publish(service.client, { name: "Cuts", definition } as never);
  const inputs: Record<string, unknown> = {};
  for (const [index, { file, bytes }] of cuts.entries()) {
    inputs[`in_${index}`] = { asset_path: await uploadAsset(service.client, file, bytes) };
  }
  const id = await submitRun(service.client, { workflow, inputs } as never);
  const execution = await waitForRun(service.client, id);
  const { result } = await readOutputs(service.client, id);
  return {
    execution,
    metrics: (key: string) =>
      result.by_key[`metrics_${key}`]?.value as unknown as {
        readonly codec: string;
        readonly samples: number;
        readonly sample_rate: number;
        readonly channels: number;
      },
    stored: async (key: string): Promise<Stored> => {
      const url = result.by_key[key]?.url ?? "";
      const response = await fetch(url);
      return {
        name: new URL(url).pathname.split("/").at(-1),
        type: response.headers.get("content-type"),
        bytes: Buffer.from(await response.arrayBuffer()),
      };
    },
  };
}

const WAV_RATE = 22_050;
const pcm = Uint8Array.from({ length: WAV_RATE * 2 }, (_, i) => (i * 193) >> 3);
const mono = () => wavFile({ samples: pcm, rate: WAV_RATE, channels: 1 });

/** Overlapping parts, out of order, the first up to the end. */
const [START, END] = [0.15, 0.18];
const SEGMENTS = [
  [`${START}`, "99"],
  ["0", `00:00:00.${END * 1_000}`],
] as const;

/** Extension, type and codec of the parts; whether they keep every sample. */
const SOUNDS = {
  "sound.wav": ["wav", "audio/wav", "pcm_s16", true],
  "stereo.flac": ["flac", "audio/flac", "flac", true],
  "alac.m4a": ["m4a", "audio/mp4", "alac", true],
  "aac.m4a": ["m4a", "audio/mp4", "aac", false],
  "adts.aac": ["m4a", "audio/mp4", "aac", false],
  "cbr.mp3": ["mp3", "audio/mpeg", "mp3", false],
  "vorbis.ogg": ["ogg", "audio/ogg", "opus", false],
  "stereo.opus": ["ogg", "audio/ogg", "opus", false],
} as const;

/** Bytes of a frame in a WAV of 24 bits, and of its head. */
const frameBytes = (channels: number) => channels * 3;
const WAV_HEAD = 44;

describe("audio/split", () => {
  it("cuts sounds of each kind to the sample", async () => {
    const files = await Promise.all(
      Object.keys(SOUNDS).map(async (file): Promise<Cut> => ({
        file,
        bytes: file === "sound.wav" ? mono() : await golden(file),
        segments: SEGMENTS,
      })),
    );
    const { execution, metrics, stored } = await split(files);
    expect(execution).toMatchObject({ status: "completed" });
    for (const [index, [file, [extension, type, codec, isExact]]] of Object.entries(
      SOUNDS,
    ).entries()) {
      const whole = metrics(`whole_${index}`);
      const from = Math.round(START * whole.sample_rate);
      const to = Math.round(END * whole.sample_rate);
      const ranges = [
        [from, whole.samples],
        [0, to],
      ] as const;
      for (const [at, [first, last]] of ranges.entries()) {
        const part = metrics(`part_${index}_${at}`);
        const samples = Math.round(((last - first) * part.sample_rate) / whole.sample_rate);
        expect({ file, ...part }).toMatchObject({
          file,
          codec,
          samples,
          channels: whole.channels,
        });
        const made = await stored(`part_${index}_${at}`);
        expect([made.name, made.type]).toEqual([`segment_${at}.${extension}`, type]);
        if (isExact) {
          const source = (await stored(`wav_whole_${index}`)).bytes.subarray(WAV_HEAD);
          const cut = (await stored(`wav_part_${index}_${at}`)).bytes.subarray(WAV_HEAD);
          const bytes = frameBytes(whole.channels);
          expect(cut.subarray(0, samples * bytes)).toEqual(
            source.subarray(first * bytes, last * bytes),
          );
        }
      }
    }
  });

  it("writes parts in another form", async () => {
    const { metrics, stored } = await split([
      { file: "sound.wav", bytes: mono(), segments: [["0.5", "1"]], form: { format: "flac" } },
      {
        file: "stereo.flac",
        bytes: await golden("stereo.flac"),
        segments: [["0.1", "0.2"]],
        form: { format: "mp3", bitrate_kbps: 96 },
      },
    ]);
    expect(metrics("part_0_0")).toMatchObject({
      codec: "flac",
      bit_depth: 16,
      samples: WAV_RATE / 2,
    });
    const { sample_rate: rate } = metrics("whole_1");
    expect(metrics("part_1_0")).toMatchObject({ codec: "mp3", samples: Math.round(rate * 0.1) });
    expect(await stored("part_1_0")).toMatchObject({ name: "segment_0.mp3", type: "audio/mpeg" });
  });

  it("fails for a start at the end, with no part stored", async () => {
    const { execution } = await split([
      {
        file: "sound.wav",
        bytes: mono(),
        segments: [
          ["0", "1"],
          ["1", "3"],
        ],
      },
    ]);
    const missing = (name: string): unknown =>
      expect.objectContaining({
        logical_name: name,
        presence: "missing",
        error: expect.objectContaining({ code: "SEGMENT_OUT_OF_RANGE" }),
      });
    const outputs: unknown = expect.arrayContaining([missing("part_0_0"), missing("part_0_1")]);
    expect(execution).toMatchObject({ outputs });
  });
});
