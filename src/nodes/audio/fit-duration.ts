import * as z from "zod";
import { decimalField } from "../../contracts/workflows/node-parameters.ts";
import { asJson, ExactNumber } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import {
  AUDIO_COLOR,
  MEDIA_TIME_LIMIT_MS,
  processingReportOutput,
  qualityCheckOutput,
  soundOutput,
} from "../define-audio-nodes.ts";
import { defineNode } from "../define-node.ts";
import type { ConnectedPort, NodeInputs, ParameterIssue, RunValue } from "../define-ports.ts";
import { soundParameterIssues, soundParameters } from "../define-sound-formats.ts";

const params = z.strictObject({
  target_duration: decimalField(0.01, LIMITS.decoded_duration.value / 1_000)
    .nullish()
    .meta({
      title: "Target duration",
      description: "In seconds; used where no input has a value.",
      exposable: true,
    }),
  min_speed: decimalField(0.25, 1).default(0.8).meta({
    title: "Lowest speed",
    description: "1 is the speed of the input.",
    exposable: true,
  }),
  max_speed: decimalField(1, 4).default(1.25).meta({
    title: "Highest speed",
    description: "1 is the speed of the input.",
    exposable: true,
  }),
  on_out_of_range: z.enum(["fail", "clamp", "warn"]).default("clamp").meta({
    title: "Outside of the speeds",
    description:
      "fail: the node fails. clamp: the nearest speed is used, and speech is never cut. warn: it is stretched all the same.",
    exposable: true,
  }),
  pad_short: z.boolean().default(true).meta({
    title: "Pad with silence",
    description: "Whether silence follows a sound that stays too short.",
    advanced: true,
  }),
  tolerance_seconds: decimalField(0, 10).default(0.05).meta({
    title: "Tolerance",
    description: "In seconds: the largest accepted distance from the target.",
    exposable: true,
  }),
  ...soundParameters,
});

const WINDOW = ["target_start", "target_end"] as const;

/** The target must come from somewhere, and a window has two ends. */
function targetIssues(
  given: z.output<typeof params>,
  connected: readonly ConnectedPort[],
): readonly ParameterIssue[] {
  const has = (name: string) => connected.some(({ port }) => port === name);
  const missing = WINDOW.filter((name) => !has(name));
  const [port] = missing;
  if (missing.length === 1 && port !== undefined) {
    return [notConnected(port, `${port} is not connected, and the other end of the window is.`)];
  }
  return missing.length === 2 && !has("target_duration") && (given.target_duration ?? null) === null
    ? [notConnected("target_duration", "Nothing says how long the sound should become.")]
    : [];
}

function notConnected(port: string, message: string): ParameterIssue {
  return {
    code: "PORT_NOT_CONNECTED",
    path: port,
    message,
    suggestion:
      "Connect target_duration, or both target_start and target_end, or set the parameter target_duration.",
  };
}

function numberAt(inputs: NodeInputs, port: string): number | undefined {
  const value = inputs.get(port);
  return value instanceof ExactNumber
    ? value.toNumber()
    : typeof value === "number"
      ? value
      : undefined;
}

/** A sound of a given duration (docs/contract/media.md#speech). */
export const audioFitDuration = defineNode({
  type: "audio/fit_duration",
  version: "1.0",
  name: "Fit duration",
  description:
    "Stretches or shortens a sound to a duration, at constant pitch and exact to the sample.",
  whenToUse: "For dubbing: a spoken line that must fit the window of its cue.",
  subCategory: "speech",
  status: "stable",
  icon: "timer",
  color: AUDIO_COLOR,
  inputs: [
    { name: "audio", type: "audio", label: "Sound" },
    { name: "target_duration", type: "number", required: false, label: "Duration in seconds" },
    { name: "target_start", type: "number", required: false, label: "Start in seconds" },
    { name: "target_end", type: "number", required: false, label: "End in seconds" },
  ],
  outputs: [
    soundOutput,
    { name: "actual_duration", type: "number", label: "Duration in seconds" },
    { ...processingReportOutput, name: "fit_report", label: "How it was fitted" },
    qualityCheckOutput,
  ],
  params,
  check: (given, connected) => [...soundParameterIssues(given), ...targetIssues(given, connected)],
  role: "transform",
  placement: "task",
  needs: ["audio"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  cost: { unit: "request", milliCredits: 20 },
  async run(ctx, inputs, request) {
    const made = await ctx.audio.fit(inputs.file("audio"), request, {
      targetStart: numberAt(inputs, "target_start"),
      targetEnd: numberAt(inputs, "target_end"),
      targetDuration: numberAt(inputs, "target_duration"),
    });
    return new Map<string, RunValue>([
      ["audio", made.audio],
      ["actual_duration", made.seconds],
      ["fit_report", asJson(made.report)],
      ["quality_check", asJson(made.check)],
    ]);
  },
});
