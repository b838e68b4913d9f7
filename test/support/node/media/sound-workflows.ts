/** One workflow for each node of sound: its inputs are the assets `a` and `b`, its files and documents are outputs. */
import type { ApiClient } from "../../../../scripts/api-client.ts";
import { publish } from "../../../../scripts/provision.ts";
import { submitRun } from "../../../../scripts/run-workflow.ts";

export interface SoundNode {
  readonly type: string;
  readonly parameters: object;
  /** The port of each input. */
  readonly ports: readonly string[];
  /** Ports of files that it makes. */
  readonly files: readonly string[];
  /** The output of a node that makes no file. */
  readonly value?: { readonly port: string; readonly type: string };
  readonly credits: number;
  /** Takes seconds for a minute of sound; the others take seconds for ten. */
  readonly isSlow?: boolean;
}

const one = (type: string, credits: number, parameters: object = {}): SoundNode => ({
  type,
  parameters,
  ports: ["audio"],
  files: ["audio"],
  credits,
});

/** Every node of sound, with the parameters that let it do all of its work. */
export const SOUND_NODES: Readonly<Record<string, SoundNode>> = {
  convert: one("audio/convert", 0.01, { format: "wav", sample_rate: 32_000 }),
  quality_report: { ...one("audio/quality_report", 0), files: [] },
  concat: {
    ...one("audio/concat", 0.01, { crossfade_ms: 50 }),
    ports: ["clips", "clips"],
  },
  mix: { ...one("audio/mix", 0.01), ports: ["tracks", "tracks"] },
  loudness_normalize: {
    ...one("audio/loudness_normalize", 0.02, { target_lufs: -8, true_peak_db: -1 }),
    isSlow: true,
  },
  fit_duration: {
    ...one("audio/fit_duration", 0.02, { target_duration: 3_000, pad_short: false }),
    isSlow: true,
  },
  duck: {
    ...one("audio/duck", 0.02, { profile: "podcast" }),
    ports: ["foreground", "background"],
    files: ["audio", "ducked_background"],
  },
  speech_enhance: {
    ...one("audio/speech_enhance", 0.02, { profile: "podcast" }),
    isSlow: true,
  },
};

/** A model that hears a sound, which the media Worker decodes for it. */
export const HEARING: SoundNode = {
  ...one("ai/speech_to_text", 0, { model: "sample-transcript", max_seconds: 3_600 }),
  files: [],
  value: { port: "text", type: "text" },
};

/** Publishes the workflow of a node, whose output files have its ports as keys. */
export async function publishSoundNode(
  client: ApiClient,
  { type, parameters, ports, files, value = { port: "metrics", type: "json" } }: SoundNode,
): Promise<string> {
  const inputs = ports.map((_port, index) => ({ id: `in_${index}`, type: "input/audio" }));
  const outputs = files.length === 0 ? [value] : files.map((port) => ({ port, type: "audio" }));
  const definition = {
    nodes: [
      ...inputs.map((input) => ({ ...input, label: input.id })),
      { id: "made", type, label: "made", parameters },
      ...outputs.map((to) => ({
        id: `out_${to.port}`,
        type: `output/${to.type}`,
        label: to.port,
        parameters: { key: to.port },
      })),
    ],
    connections: [
      ...inputs.map(({ id }, index) => ({
        from: { node: id, port: "audio" },
        to: { node: "made", port: ports[index] },
      })),
      ...outputs.map((to) => ({
        from: { node: "made", port: to.port },
        to: { node: `out_${to.port}`, port: to.type },
      })),
    ],
  };
  return await publish(client, { name: type, definition } as never);
}

/** Submits a run of it; every input is the same asset. */
export async function submitSoundNode(
  client: ApiClient,
  workflow: string,
  { ports }: SoundNode,
  asset: string,
): Promise<string> {
  const inputs = Object.fromEntries(
    ports.map((_port, index) => [`in_${index}`, { asset_path: asset }]),
  );
  return await submitRun(client, { workflow, inputs } as never);
}
