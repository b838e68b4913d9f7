/** The inputs of `utility/dubbing_manifest` for two cues of a second each, at 1 and at 3 s, in a timeline of 5 s. */
import type { CasePorts } from "./run-case.ts";

const generation = (voice: string) => ({
  schema: "svc.tts-generation/v1",
  provider: "sample",
  model: "sample-voice",
  characters: 5,
  duration_seconds: 1,
  sample_rate: 24_000,
  channels: 1,
  content_type: "audio/wav",
  sha256: "0".repeat(64),
  controls: { voice: { value: voice, source: "parameter" } },
});

const placed = (index: number, cueId: string, start: number) => ({
  index,
  cue_id: cueId,
  speaker: "B",
  start_seconds: start,
  end_seconds: start + 1,
  start_sample: start * 8000,
  samples: 8000,
  source_samples: 8000,
  state: "placed",
  overlaps: [],
});

export const DUBBING_PORTS: CasePorts = {
  cues: [
    { cue_id: "two", start: 3, end: 4, speaker: "A" },
    { cue_id: "one", start: 1, end: 2 },
  ],
  timeline_manifest: {
    schema: "svc.audio-timeline/v1",
    duration_seconds: 5,
    samples: 40_000,
    sample_rate: 8000,
    channels: 1,
    duration_source: "saved",
    overlap_policy: "fail",
    missing_cue_policy: "warn",
    skipped_items: 0,
    overload_gain_db: 0,
    cues: [placed(0, "one", 1), placed(1, "two", 3)],
    gaps: [],
  },
  evidence: [
    {
      cue_id: "one",
      generation: generation("nova"),
      quality_check: {
        schema: "svc.quality-check/v1",
        subject: "Cue",
        passed: true,
        checks: [{ id: "duration", passed: true, severity: "error", message: "It fits." }],
      },
    },
    { cue_id: "two", voice: "echo", generation: generation("nova") },
  ],
  dubbed_audio: {
    file: "audio.wav",
    type: "audio/wav",
    bytes: new TextEncoder().encode("only its path, its type and its size are in the manifest"),
  },
};
