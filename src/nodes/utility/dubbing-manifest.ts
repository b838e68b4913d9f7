import * as z from "zod";
import { BACKGROUND_MODES, SPEAKER_VOICE_SOURCES } from "../../contracts/media/dubbing-manifest.ts";
import { decimalField } from "../../contracts/workflows/node-parameters.ts";
import { asJson } from "../../lib/json/exact-json.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { AUDIO_COLOR, MEDIA_TIME_LIMIT_MS, qualityCheckOutput } from "../define-audio-nodes.ts";
import { defineNode } from "../define-node.ts";
import type { ConnectedPort, NodeInputs, ParameterIssue, RunValue } from "../define-ports.ts";

const checkIds = z
  .array(z.string().min(1).max(LIMITS.identifier.value))
  .max(LIMITS.quality_checks.value)
  .default([]);

const params = z.strictObject({
  background_mode: z.enum(BACKGROUND_MODES).default("none").meta({
    title: "Background",
    description:
      "provided needs background_audio, ducked also ducking_report, and stems needs stems_manifest.",
    exposable: true,
  }),
  speaker_voice_source: z.enum(SPEAKER_VOICE_SOURCES).default("evidence").meta({
    title: "Voice of a cue",
    description:
      "evidence: the voice in the cue's own evidence. voices: that of its speaker in voices. single: the one voice that all evidence names.",
    exposable: true,
  }),
  require_final_video: z.boolean().default(false).meta({
    title: "Require a video",
    description: "Whether there must be a final_video.",
    exposable: true,
  }),
  placement_tolerance_seconds: decimalField(0, 10).default(0.01).meta({
    title: "Tolerance of placement",
    description: "In seconds: the largest accepted distance between a clip's start and its cue's.",
    exposable: true,
  }),
  duration_tolerance_seconds: decimalField(0, 60).default(0.25).meta({
    title: "Tolerance of duration",
    description:
      "In seconds: the largest accepted difference between a clip and its window, and between the video and the timeline.",
    exposable: true,
  }),
  required_check_ids: checkIds.meta({
    title: "Required checks",
    description: "Checks that the evidence of each cue must have, and that must have passed.",
  }),
  ignored_check_ids: checkIds.meta({
    title: "Ignored checks",
    description: "Checks of the evidence that may fail.",
    advanced: true,
  }),
  on_fail: z.enum(["fail", "report"]).default("fail").meta({
    title: "If a check fails",
    description: "Fail, or return the manifest with the failed checks.",
    exposable: true,
  }),
});

/** The settings decide which of the optional inputs are needed. */
function neededPorts(
  { background_mode: mode, require_final_video: needsVideo }: z.output<typeof params>,
  connected: readonly ConnectedPort[],
): readonly ParameterIssue[] {
  const has = (name: string) => connected.some(({ port }) => port === name);
  const needed: readonly (readonly [port: string, setting: string])[] = [
    ...(mode === "provided" || mode === "ducked"
      ? [["background_audio", `background_mode ${mode}`] as const]
      : []),
    ...(mode === "ducked" ? [["ducking_report", "background_mode ducked"] as const] : []),
    ...(mode === "stems" ? [["stems_manifest", "background_mode stems"] as const] : []),
    ...(needsVideo ? [["final_video", "require_final_video"] as const] : []),
  ];
  return needed
    .filter(([port]) => !has(port))
    .map(([port, setting]) => ({
      code: "PORT_NOT_CONNECTED",
      path: port,
      message: `${port} is not connected, and ${setting} needs it.`,
      suggestion: `Connect ${port}, or change the setting.`,
    }));
}

function fileAt(inputs: NodeInputs, port: string): FileRef | undefined {
  const value = inputs.get(port);
  return value instanceof FileRef ? value : undefined;
}

/** Everything that belongs to a dub, compared and in one document (docs/contract/media.md#dubbing). */
export const utilityDubbingManifest = defineNode({
  type: "utility/dubbing_manifest",
  version: "1.0",
  name: "Dubbing manifest",
  description:
    "Compares the cues of a dub with the evidence for each, the timeline and the files, and joins them in one document.",
  whenToUse: "As the last step of a dub, before it counts as finished.",
  subCategory: "speech",
  status: "stable",
  icon: "clipboard-check",
  color: AUDIO_COLOR,
  inputs: [
    { name: "cues", type: "json", label: "Cues" },
    { name: "timeline_manifest", type: "json", label: "Timeline" },
    { name: "evidence", type: "json", label: "Evidence of each cue" },
    { name: "dubbed_audio", type: "audio", label: "Dubbed sound" },
    { name: "background_audio", type: "audio", required: false, label: "Background" },
    { name: "stems_manifest", type: "json", required: false, label: "Stems" },
    { name: "ducking_report", type: "json", required: false, label: "Ducking report" },
    { name: "final_audio", type: "audio", required: false, label: "Final sound" },
    { name: "final_video", type: "video", required: false, label: "Final video" },
    { name: "subtitles", type: "document", required: false, label: "Subtitles" },
    { name: "voices", type: "json", required: false, label: "Voices of speakers" },
  ],
  outputs: [
    {
      name: "manifest",
      type: "json",
      label: "Manifest",
      schemaRef: "svc.dubbing-manifest/v1",
    },
    qualityCheckOutput,
  ],
  params,
  check: neededPorts,
  role: "transform",
  placement: "task",
  needs: ["audio"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  async run(ctx, inputs, settings) {
    const json = (port: string) => (inputs.has(port) ? inputs.json(port) : undefined);
    const { manifest, check } = await ctx.audio.joinDub(
      {
        cues: inputs.json("cues"),
        timelineManifest: inputs.json("timeline_manifest"),
        evidence: inputs.json("evidence"),
        stemsManifest: json("stems_manifest"),
        duckingReport: json("ducking_report"),
        voices: json("voices"),
      },
      {
        dubbedAudio: inputs.file("dubbed_audio"),
        backgroundAudio: fileAt(inputs, "background_audio"),
        finalAudio: fileAt(inputs, "final_audio"),
        finalVideo: fileAt(inputs, "final_video"),
        subtitles: fileAt(inputs, "subtitles"),
      },
      settings,
    );
    return new Map<string, RunValue>([
      ["manifest", asJson(manifest)],
      ["quality_check", asJson(check)],
    ]);
  },
});
