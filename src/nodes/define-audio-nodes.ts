/** What the definitions of sound nodes share. */
import { asJson, type JsonValue } from "../lib/json/exact-json.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";
import type { OutputPort, RunValue } from "./define-ports.ts";
import type { MadeSound } from "./define-audio-tools.ts";

/** Time that an attempt of a sound or video node has. */
export const MEDIA_TIME_LIMIT_MS = LIMITS.media_task.value;

export const AUDIO_COLOR = "#0d9488";

export const soundOutput: OutputPort = { name: "audio", type: "audio", label: "Sound" };

export const processingReportOutput: OutputPort = {
  name: "processing_report",
  type: "json",
  label: "How it was made",
  schemaRef: "svc.audio-processing-report/v1",
};

export const qualityCheckOutput: OutputPort = {
  name: "quality_check",
  type: "json",
  label: "Quality check",
  schemaRef: "svc.quality-check/v1",
};

/** The ports `audio` and `processing_report`. */
export function soundOutputs({ audio, report }: MadeSound): Map<string, RunValue> {
  return new Map<string, RunValue>([
    ["audio", audio],
    ["processing_report", asJson(report) as JsonValue],
  ]);
}
