/** The manifest and the checks of `utility/dubbing_manifest` (docs/contract/media.md#dubbing). */
import type {
  BACKGROUND_MODES,
  DubbingManifest,
  SPEAKER_VOICE_SOURCES,
} from "../../contracts/media/dubbing-manifest.ts";
import type { QualityCheck, QualityCheckItem } from "../../contracts/quality-check.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { buildQualityCheck } from "../dsp/quality-report.ts";
import { namedIds } from "../timeline/place-cues.ts";
import { type DubbedCue, type DubbingDocuments, readDocuments } from "./dubbing-evidence.ts";

/** A stored file; `path` without `storage://`. */
export interface DubbingFile {
  readonly path: string;
  readonly contentType: string;
  readonly sizeBytes: number;
}

export interface DubbingFiles {
  readonly dubbedAudio: DubbingFile | null;
  readonly backgroundAudio: DubbingFile | null;
  readonly finalAudio: DubbingFile | null;
  readonly finalVideo: (DubbingFile & { readonly durationSeconds: number }) | null;
  readonly subtitles: DubbingFile | null;
}

export interface DubbingSettings {
  readonly backgroundMode: (typeof BACKGROUND_MODES)[number];
  readonly speakerVoiceSource: (typeof SPEAKER_VOICE_SOURCES)[number];
  readonly requireFinalVideo: boolean;
  readonly placementToleranceSeconds: number;
  readonly durationToleranceSeconds: number;
  readonly requiredCheckIds: readonly string[];
  readonly ignoredCheckIds: readonly string[];
  readonly onFail: "fail" | "report";
}

/** Of differences of decimal fractions. */
const ROUNDING = 1e-9;

/**
 * Joins everything that a dub consists of. Throws the codes of `readDocuments`, DUBBING_EVIDENCE_MISSING for what the
 * settings need and did not come, and DUBBING_CHECK_FAILED if a check fails and `onFail` is `fail`.
 */
export function buildDubbingManifest(
  documents: DubbingDocuments,
  files: DubbingFiles,
  settings: DubbingSettings,
): { readonly manifest: DubbingManifest; readonly check: QualityCheck } {
  requirePresent(documents, files, settings);
  const { timeline, cues, stems, voices } = readDocuments(documents);
  const voiceOf = chooseVoices(cues, voices, settings.speakerVoiceSource);
  const dubbed = cues.map((cue) => ({ ...cue, voice: voiceOf(cue) }));
  const check = buildQualityCheck("Dub", [
    ...checkPlaces(cues, timeline.sample_rate, settings),
    checkVoices(dubbed),
    ...checkFinalVideo(files.finalVideo, timeline.duration_seconds, settings),
    ...checkEvidence(cues, settings),
  ]);
  if (!check.passed && settings.onFail === "fail") {
    const failed = check.checks.filter(({ passed }) => !passed);
    throw new NodeError(
      "DUBBING_CHECK_FAILED",
      `Failed: ${failed.map(({ id, message }) => `${id} (${message})`).join(" ")} Fix it, or set on_fail to report.`,
    );
  }
  const { duration_seconds, samples, sample_rate, channels } = timeline;
  const manifest: DubbingManifest = {
    schema: "svc.dubbing-manifest/v1",
    background_mode: settings.backgroundMode,
    speaker_voice_source: settings.speakerVoiceSource,
    timeline: { duration_seconds, samples, sample_rate, channels },
    speakers: groupSpeakers(dubbed),
    cues: dubbed.map(({ cue, placed, evidence, voice }) => ({
      cue_id: cue.cue_id,
      index: placed.index,
      speaker: speakerOf({ cue, placed, evidence }),
      voice,
      start_seconds: placed.start_seconds,
      end_seconds: placed.end_seconds,
      start_sample: placed.start_sample,
      samples: placed.samples,
      generation: evidence.generation ?? null,
      fit: evidence.fit ?? null,
      quality_check: evidence.quality_check ?? null,
    })),
    files: {
      dubbed_audio: describeFile(files.dubbedAudio),
      background_audio: describeFile(files.backgroundAudio),
      final_audio: describeFile(files.finalAudio),
      final_video: describeFile(files.finalVideo),
      subtitles: describeFile(files.subtitles),
    },
    stems,
    passed: check.passed,
    checks: check.checks,
  };
  return { manifest, check };
}

function describeFile(file: DubbingFile | null): DubbingManifest["files"]["dubbed_audio"] {
  return file === null
    ? null
    : {
        storage_ref: `storage://${file.path}`,
        content_type: file.contentType,
        size_bytes: file.sizeBytes,
      };
}

function requirePresent(
  documents: DubbingDocuments,
  files: DubbingFiles,
  { backgroundMode, requireFinalVideo }: DubbingSettings,
): void {
  const needsBackground = backgroundMode === "provided" || backgroundMode === "ducked";
  const missing = [
    files.dubbedAudio === null && "dubbed_audio",
    needsBackground && files.backgroundAudio === null && "background_audio",
    backgroundMode === "ducked" && documents.duckingReport === undefined && "ducking_report",
    backgroundMode === "stems" && documents.stemsManifest === undefined && "stems_manifest",
    requireFinalVideo && files.finalVideo === null && "final_video",
  ].filter((port) => port !== false);
  if (missing.length > 0) {
    throw new NodeError(
      "DUBBING_EVIDENCE_MISSING",
      `The settings need ${missing.join(" and ")}, and no value came. Fix what makes it, or change the settings.`,
    );
  }
}

function speakerOf({ cue, placed }: DubbedCue): string | null {
  return cue.speaker ?? placed.speaker;
}

function chooseVoices(
  cues: readonly DubbedCue[],
  voices: Readonly<Record<string, string>> | null,
  source: DubbingSettings["speakerVoiceSource"],
): (cue: DubbedCue) => string | null {
  if (source === "voices") {
    return (cue) => {
      const speaker = speakerOf(cue);
      return speaker !== null && voices !== null && Object.hasOwn(voices, speaker)
        ? (voices[speaker] ?? null)
        : null;
    };
  }
  if (source === "evidence") {
    return shownVoice;
  }
  const shown = new Set(cues.map(shownVoice).filter((voice) => voice !== null));
  const [single = null] = shown.size === 1 ? shown : [];
  return () => single;
}

function shownVoice({ evidence }: DubbedCue): string | null {
  const control = evidence.generation?.controls.voice?.value;
  return evidence.voice ?? (control === undefined || control === null ? null : String(control));
}

interface Voiced extends DubbedCue {
  readonly voice: string | null;
}

function groupSpeakers(cues: readonly Voiced[]): DubbingManifest["speakers"] {
  const groups = new Map<string, DubbingManifest["speakers"][number]>();
  for (const cue of cues) {
    const speaker = speakerOf(cue);
    const key = JSON.stringify([speaker, cue.voice]);
    const group = groups.get(key) ?? { speaker, voice: cue.voice, cues: 0 };
    groups.set(key, { ...group, cues: group.cues + 1 });
  }
  return [...groups.values()].toSorted(
    (a, b) => compare(a.speaker, b.speaker) || compare(a.voice, b.voice),
  );
}

/** By code units, the same in every locale; null first. */
function compare(a: string | null, b: string | null): number {
  if (a === b) {
    return 0;
  }
  return a === null || (b !== null && a < b) ? -1 : 1;
}

function ofCues(
  id: string,
  failed: readonly DubbedCue[],
  expected: QualityCheckItem["expected"],
  what: string,
): QualityCheckItem {
  const ids = failed.map(({ cue }) => cue.cue_id);
  return {
    id,
    passed: ids.length === 0,
    severity: "error",
    measured: ids.length,
    ...(expected !== undefined && { expected }),
    message: ids.length === 0 ? `No cue ${what}.` : `Cues of which each ${what}: ${namedIds(ids)}.`,
  };
}

function checkPlaces(
  cues: readonly DubbedCue[],
  sampleRate: number,
  settings: DubbingSettings,
): QualityCheckItem[] {
  const { placementToleranceSeconds, durationToleranceSeconds } = settings;
  const present = cues.filter(({ placed }) => placed.state !== "missing");
  return [
    ofCues(
      "placement",
      cues.filter(
        ({ cue, placed }) =>
          Math.abs(placed.start_sample / sampleRate - cue.start) >
          placementToleranceSeconds + ROUNDING,
      ),
      { tolerance_seconds: placementToleranceSeconds },
      "starts elsewhere than its cue",
    ),
    ofCues(
      "duration",
      present.filter(
        ({ cue, placed }) =>
          Math.abs(placed.source_samples / sampleRate - (cue.end - cue.start)) >
          durationToleranceSeconds + ROUNDING,
      ),
      { tolerance_seconds: durationToleranceSeconds },
      "has a clip of another length than its window",
    ),
    ofCues(
      "missing_cues",
      cues.filter(({ placed }) => placed.state === "missing"),
      undefined,
      "has no clip",
    ),
  ];
}

function checkVoices(cues: readonly Voiced[]): QualityCheckItem {
  return ofCues(
    "voices",
    cues.filter(({ voice }) => voice === null),
    undefined,
    "has no single voice",
  );
}

function checkFinalVideo(
  video: DubbingFiles["finalVideo"],
  timelineSeconds: number,
  { durationToleranceSeconds }: DubbingSettings,
): QualityCheckItem[] {
  if (video === null) {
    return [];
  }
  const difference = Math.abs(video.durationSeconds - timelineSeconds);
  return [
    {
      id: "final_video",
      passed: difference <= durationToleranceSeconds + ROUNDING,
      severity: "error",
      measured: video.durationSeconds,
      expected: {
        duration_seconds: timelineSeconds,
        tolerance_seconds: durationToleranceSeconds,
      },
      message: `The video has ${video.durationSeconds} s, the timeline ${timelineSeconds} s.`,
    },
  ];
}

function checkEvidence(
  cues: readonly DubbedCue[],
  { ignoredCheckIds, requiredCheckIds }: DubbingSettings,
): QualityCheckItem[] {
  const isError = (item: QualityCheckItem) => !item.passed && item.severity === "error";
  // A document that did not pass, and has no check that says why, is not taken for one that did.
  const fails = ({ passed, checks }: QualityCheck) =>
    checks.some((item) => isError(item) && !ignoredCheckIds.includes(item.id)) ||
    (!passed && !checks.some(isError));
  return [
    ofCues(
      "evidence_checks",
      cues.filter(
        ({ evidence: { quality_check: check } }) =>
          check !== null && check !== undefined && fails(check),
      ),
      undefined,
      "has a failed check",
    ),
    ...[...new Set(requiredCheckIds)].map((id) =>
      ofCues(
        `check:${id}`,
        cues.filter(({ evidence }) => {
          const found = evidence.quality_check?.checks.filter((item) => item.id === id) ?? [];
          return found.length === 0 || found.some(({ passed }) => !passed);
        }),
        undefined,
        `lacks the check ${JSON.stringify(id.slice(0, 100))} or failed it`,
      ),
    ),
  ];
}
