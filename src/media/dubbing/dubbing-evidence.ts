/** The documents from which a dubbing manifest is made (docs/contract/media.md#dubbing): read, compared, refused. */
import * as z from "zod";
import { AudioProcessingReport } from "../../contracts/media/audio-reports.ts";
import { AudioTimeline } from "../../contracts/media/audio-timeline.ts";
import { QualityCheck } from "../../contracts/quality-check.ts";
import { SpeechReport, StemReport } from "../../contracts/media/sound-reports.ts";
import { plainNumbers } from "../../contracts/workflows/plain-numbers.ts";
import { canonicalDecimal } from "../../lib/json/canonical-decimal.ts";
import {
  isJsonNumber,
  isJsonObject,
  type JsonValue,
  numberToken,
} from "../../lib/json/exact-json.ts";
import { issueText } from "../../lib/errors/issue-text.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { namedIds } from "../timeline/place-cues.ts";

const DubbingCue = z.looseObject({
  cue_id: z.string().min(1),
  start: z.number().min(0),
  end: z.number().min(0),
  speaker: z.string().nullish(),
});
export type DubbingCue = z.infer<typeof DubbingCue>;

const DubbingEvidence = z.looseObject({
  cue_id: z.string().min(1),
  generation: SpeechReport.nullish(),
  fit: AudioProcessingReport.nullish(),
  quality_check: QualityCheck.nullish(),
  voice: z.string().nullish(),
});
export type DubbingEvidence = z.infer<typeof DubbingEvidence>;

/** Values of the node's JSON inputs; undefined: not connected or absent. */
export interface DubbingDocuments {
  readonly cues: JsonValue;
  readonly timelineManifest: JsonValue;
  readonly evidence: JsonValue;
  readonly stemsManifest?: JsonValue | undefined;
  readonly duckingReport?: JsonValue | undefined;
  readonly voices?: JsonValue | undefined;
}

/** What belongs to one cue. */
export interface DubbedCue {
  readonly cue: DubbingCue;
  readonly placed: AudioTimeline["cues"][number];
  readonly evidence: DubbingEvidence;
}

export interface ReadDocuments {
  readonly timeline: AudioTimeline;
  /** In the order of `cues`. */
  readonly cues: readonly DubbedCue[];
  readonly stems: StemReport | null;
  readonly voices: Readonly<Record<string, string>> | null;
}

/**
 * Reads all documents. Throws DUBBING_EVIDENCE_INVALID for a value that does not fit its schema,
 * DUBBING_REFERENCE_REFUSED for an address, and DUBBING_EVIDENCE_MISSING, _DUPLICATE and _UNKNOWN if the cues do not have
 * exactly one entry each in the evidence and in the timeline.
 */
export function readDocuments(documents: DubbingDocuments): ReadDocuments {
  const cues = parse("cues", z.array(DubbingCue), withTextIds(documents.cues));
  const timeline = parse("timeline_manifest", AudioTimeline, documents.timelineManifest);
  const evidence = parse("evidence", z.array(DubbingEvidence), withTextIds(documents.evidence));
  const stems =
    documents.stemsManifest === undefined
      ? null
      : parse("stems_manifest", StemReport, documents.stemsManifest);
  if (documents.duckingReport !== undefined) {
    parse(
      "ducking_report",
      AudioProcessingReport.extend({ operation: z.literal("duck") }),
      documents.duckingReport,
    );
  }
  const voices =
    documents.voices === undefined
      ? null
      : parse("voices", z.record(z.string(), z.string()), documents.voices);
  refuseAddresses([
    timeline.cues,
    stems,
    voices,
    // Only what the manifest takes over: the text of a cue may contain addresses.
    cues.map(({ cue_id, speaker }) => [cue_id, speaker]),
    evidence.map(({ generation, fit, quality_check, voice }) => [
      generation,
      fit,
      quality_check,
      voice,
    ]),
  ]);
  const ids = cues.map(({ cue_id: id }) => id);
  refuseRepeated("cues", ids);
  const entries = oneEach("evidence", ids, evidence);
  const places = oneEach("timeline_manifest", ids, timeline.cues);
  return {
    timeline,
    stems,
    voices,
    cues: cues.map((cue, at) => ({
      cue,
      evidence: entries[at] ?? { cue_id: cue.cue_id },
      placed: places[at] ?? unreachable(),
    })),
  };
}

function unreachable(): never {
  throw new Error("Each cue has a place: `oneEach` has returned one for each.");
}

/** Ids that a table has as numbers become the texts that ports of type `text` make of them. */
function withTextIds(entries: JsonValue): JsonValue {
  if (!Array.isArray(entries)) {
    return entries;
  }
  return entries.map((entry: JsonValue) => {
    const id = isJsonObject(entry) ? entry["cue_id"] : undefined;
    return isJsonObject(entry) && id !== undefined && isJsonNumber(id)
      ? { ...entry, cue_id: canonicalDecimal(numberToken(id)) }
      : entry;
  });
}

function parse<T>(port: string, schema: z.ZodType<T>, value: JsonValue): T {
  const result = schema.safeParse(plainNumbers(value), { error: issueText });
  if (!result.success) {
    const [issue] = result.error.issues;
    const path =
      issue === undefined ? "" : issue.path.map((part) => `[${JSON.stringify(part)}]`).join("");
    throw new NodeError(
      "DUBBING_EVIDENCE_INVALID",
      `${port}${path} is not valid: ${issue?.message ?? "not a document of its contract"}. Connect the output that the port is meant for.`,
    );
  }
  return result.data;
}

/** An address of any scheme, at any place in a text. */
const ADDRESS = /(?:[a-z][a-z0-9+.-]*:)?\/\/\S|\bdata:[^\s,]*,/gi;

function refuseAddresses(value: unknown): void {
  if (typeof value === "string") {
    const refused = [...value.matchAll(ADDRESS)].find(
      ([address]) => !address.toLowerCase().startsWith("storage://"),
    );
    if (refused !== undefined) {
      throw new NodeError(
        "DUBBING_REFERENCE_REFUSED",
        `A document contains an address that begins with ${JSON.stringify(refused[0].slice(0, 40))}; only storage:// references are accepted. Use stored files.`,
      );
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      refuseAddresses(key);
      refuseAddresses(member);
    }
  }
}

function refuseRepeated(port: string, ids: readonly string[]): void {
  const seen = new Set<string>();
  const repeated = new Set(ids.filter((id) => seen.size === seen.add(id).size));
  if (repeated.size > 0) {
    throw new NodeError(
      "DUBBING_EVIDENCE_DUPLICATE",
      `${port} has more than one entry for the cue ${namedIds([...repeated])}. Send each cue once.`,
    );
  }
}

/** The entry of each id, in the order of the ids. */
function oneEach<T extends { readonly cue_id: string }>(
  port: string,
  ids: readonly string[],
  entries: readonly T[],
): readonly T[] {
  refuseRepeated(
    port,
    entries.map(({ cue_id: id }) => id),
  );
  const byId = new Map(entries.map((entry) => [entry.cue_id, entry]));
  const missing = ids.filter((id) => !byId.has(id));
  if (missing.length > 0) {
    throw new NodeError(
      "DUBBING_EVIDENCE_MISSING",
      `${port} has no entry for the cue ${namedIds(missing)}. Each cue needs exactly one. Add it.`,
    );
  }
  const known = new Set(ids);
  const unknown = [...byId.keys()].filter((id) => !known.has(id));
  if (unknown.length > 0) {
    throw new NodeError(
      "DUBBING_EVIDENCE_UNKNOWN",
      `${port} has an entry for ${namedIds(unknown)}, which cues does not name. Remove it, or add the cue.`,
    );
  }
  return ids.flatMap((id) => byId.get(id) ?? []);
}
