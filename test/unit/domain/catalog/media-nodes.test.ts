/** The nodes of sound and video as the contract lists them: ports, parameters with their ranges and defaults, and costs. */
import { describe, expect, it } from "vitest";
import { NOTHING_STORED } from "../../../../src/contracts/references.ts";
import type { CatalogPort } from "../../../../src/contracts/workflows/node-type-entry.ts";
import { describeCatalog } from "../../../../src/domain/catalog/describe-node-type.ts";
import { getNodeType as getFrom } from "../../../../src/domain/catalog/get-node-type.ts";
import { nodeCost } from "../../../../src/engine/plan/node-cost.ts";
import { findNodeType } from "../../../../src/nodes/registry.ts";

const CATALOG = describeCatalog();
const getNodeType = (type: string) => getFrom(CATALOG, type);

/** Parameters of every node that writes a sound, but for the format. */
const FORM = [
  "bitrate_kbps 16…510",
  "bit_depth 16|24|32",
  "sample_rate 8000…192000",
  "channels 1|2",
];
const COMMON = ["format wav|flac|mp3|m4a|ogg; wav", ...FORM];
const SOURCE = "format source|wav|flac|mp3|m4a|ogg; source";
const REPORT = "svc.audio-processing-report/v1";
const QUALITY = "svc.audio-quality-report/v1";
const CHECK = "quality_check json svc.quality-check/v1";

interface Expected {
  /** `*`: required. */
  readonly inputs: readonly string[];
  /** With the contract that a port carries. */
  readonly outputs: readonly string[];
  readonly milliCredits: number;
  /** Range or values, and the default; `†`: advanced, `*`: required. */
  readonly parameters: readonly string[];
}

const NODES: Readonly<Record<string, Expected>> = {
  "audio/split": {
    inputs: ["audio* audio"],
    outputs: [],
    milliCredits: 0,
    parameters: ["segments*", SOURCE, "bitrate_kbps 16…510", "bit_depth 16|24|32"],
  },
  "video/split": {
    inputs: ["video* video"],
    outputs: [],
    milliCredits: 0,
    parameters: ["segments*", "cut exact|keyframe; exact"],
  },
  "audio/concat": {
    inputs: ["clips* audio[] 1–100 compact"],
    outputs: ["audio audio", `processing_report json ${REPORT}`],
    milliCredits: 10,
    parameters: ["gap_seconds 0…60; 0", "crossfade_ms 0…10000; 0", ...COMMON],
  },
  "audio/mix": {
    inputs: ["tracks* audio[] 1–100 compact"],
    outputs: ["audio audio", `processing_report json ${REPORT}`],
    milliCredits: 10,
    parameters: ["gains_db each -60…24; []", "length longest|shortest|first; longest", ...COMMON],
  },
  "audio/convert": {
    inputs: ["audio* audio"],
    outputs: ["audio audio"],
    milliCredits: 10,
    parameters: ["format* wav|flac|mp3|m4a|ogg", ...FORM],
  },
  "audio/quality_report": {
    inputs: ["audio* audio"],
    outputs: [`metrics json ${QUALITY}`, CHECK],
    milliCredits: 0,
    parameters: [
      "silence_threshold_db -120…0; -50",
      "min_silence_seconds 0.05…60; 0.5",
      "near_clip_db† -6…0; -0.1",
      "target_lufs -70…0",
      "loudness_tolerance_lu 0…20; 1",
      "max_true_peak_db -20…6; -1",
      `max_near_clipped_samples† 0…${Number.MAX_SAFE_INTEGER}; 0`,
      "max_silence_ratio 0…1; 0.5",
    ],
  },
  "audio/loudness_normalize": {
    inputs: ["audio* audio"],
    outputs: [
      "audio audio",
      `before json ${QUALITY}`,
      `after json ${QUALITY}`,
      `processing_report json ${REPORT}`,
      CHECK,
    ],
    milliCredits: 20,
    parameters: [
      "target_lufs -50…-5; -16",
      "true_peak_db -9…0; -1",
      "mode two_pass|single_pass; two_pass",
      "tolerance_lu 0.1…3; 0.5",
      "max_gain_db† 0…60; 30",
      ...COMMON,
    ],
  },
  "audio/fit_duration": {
    inputs: ["audio* audio", "target_duration number", "target_start number", "target_end number"],
    outputs: ["audio audio", "actual_duration number", `fit_report json ${REPORT}`, CHECK],
    milliCredits: 20,
    parameters: [
      "target_duration 0.01…3600",
      "min_speed 0.25…1; 0.8",
      "max_speed 1…4; 1.25",
      "on_out_of_range fail|clamp|warn; clamp",
      "pad_short† boolean; true",
      "tolerance_seconds 0…10; 0.05",
      ...COMMON,
    ],
  },
  "audio/duck": {
    inputs: ["foreground* audio", "background* audio"],
    outputs: ["audio audio", "ducked_background audio", `ducking_report json ${REPORT}`, CHECK],
    milliCredits: 20,
    parameters: [
      "profile voice_over|podcast|music_bed|custom; voice_over",
      "threshold_db -60…0",
      "ratio 1…20",
      "attack_ms 1…500",
      "release_ms 10…5000",
      "max_reduction_db 0…60",
      "background_gain_db -60…12",
      "foreground_gain_db -60…12",
      "length longest|foreground|background; longest",
      "loop_background boolean; false",
      ...COMMON,
    ],
  },
  "audio/speech_enhance": {
    inputs: ["audio* audio"],
    outputs: ["audio audio", `processing_report json ${REPORT}`, CHECK],
    milliCredits: 20,
    parameters: [
      "profile light|podcast|dialogue|custom; podcast",
      "denoise_technique auto|spectral|neural|none; auto",
      "denoise_mix 0…1",
      "highpass_hz 20…400",
      "deess_db 0…24",
      "compress_ratio 1…10",
      "compress_threshold_db -60…0",
      ...COMMON,
    ],
  },
  "aggregate/audio_timeline": {
    inputs: [
      "clips* audio",
      "cue_id* text, accepts number",
      "start* number",
      "end* number",
      "speaker text",
      "timeline_duration number",
    ],
    outputs: ["audio audio", "timeline_manifest json svc.audio-timeline/v1", CHECK],
    milliCredits: 10,
    parameters: [
      "overlap_policy fail|mix|trim_previous; fail",
      "missing_cue_policy fail|warn; fail",
      "timeline_duration 0.01…3600",
      "fade_ms† 0…100; 5",
      ...COMMON,
      "collapse all|innermost; all",
      "on_failed_items skip|fail; skip",
    ],
  },
  "utility/dubbing_manifest": {
    inputs: [
      "cues* json",
      "timeline_manifest* json",
      "evidence* json",
      "dubbed_audio* audio",
      "background_audio audio",
      "stems_manifest json",
      "ducking_report json",
      "final_audio audio",
      "final_video video",
      "subtitles document",
      "voices json",
    ],
    outputs: ["manifest json svc.dubbing-manifest/v1", CHECK],
    milliCredits: 0,
    parameters: [
      "background_mode none|provided|ducked|stems; none",
      "speaker_voice_source evidence|voices|single; evidence",
      "require_final_video boolean; false",
      "placement_tolerance_seconds 0…10; 0.01",
      "duration_tolerance_seconds 0…60; 0.25",
      "required_check_ids each text; []",
      "ignored_check_ids† each text; []",
      "on_fail fail|report; fail",
    ],
  },
  "video/extract_audio": {
    inputs: ["video* video"],
    outputs: ["audio audio"],
    milliCredits: 0,
    parameters: [SOURCE, ...FORM],
  },
  "video/thumbnail": {
    inputs: ["video* video", "at number"],
    outputs: ["image image"],
    milliCredits: 0,
    parameters: [
      `at 0…${Number.MAX_VALUE}; 0`,
      "mode exact|keyframe; exact",
      "format jpg|png|webp; jpg",
      "quality 1…100; 85",
      "width 16…4096",
    ],
  },
  "video/mux_audio": {
    inputs: ["video* video", "audio* audio"],
    outputs: ["video video"],
    milliCredits: 10,
    parameters: [
      "mode replace|mix; replace",
      "audio_gain_db -60…24; 0",
      "video_gain_db -60…24; 0",
      "offset_seconds -3600…3600; 0",
      "loop boolean; false",
      "bitrate_kbps 16…510",
    ],
  },
  "video/concat": {
    inputs: ["clips* video[] 1–100 compact"],
    outputs: ["video video"],
    milliCredits: 0,
    parameters: [],
  },
  "video/add_subtitles": {
    inputs: ["video* video", "cues json", "subtitles text", "subtitles_file document"],
    outputs: ["video video", "subtitles document"],
    milliCredits: 0,
    parameters: [
      "language text; und",
      "default boolean; true",
      "sidecar_format srt|vtt; srt",
      "offset_seconds -3600…3600; 0",
    ],
  },
};

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

function valuesOf({ type, enum: values, anyOf, items, minimum, maximum }: Schema): string {
  if (anyOf !== undefined) {
    const some = anyOf.filter((one) => one.type !== "null").map(valuesOf);
    return some.join("|");
  }
  if (values !== undefined) {
    return values.join("|");
  }
  if (type === "array") {
    return `each ${valuesOf(items ?? {})}`;
  }
  return type === "boolean" ? type : type === "string" ? "text" : `${minimum}…${maximum}`;
}

function inputOf(port: CatalogPort): string {
  const { name, type, required, min_count: least, max_count: most, compact, accepts } = port;
  return (
    [
      `${name}${required ? "*" : ""} ${type}`,
      ...(most === undefined ? [] : [`${least}–${most}`]),
      ...(compact === true ? ["compact"] : []),
    ].join(" ") + (accepts === undefined ? "" : `, accepts ${accepts.join(", ")}`)
  );
}

describe("the catalog", () => {
  it.each(Object.entries(NODES))("lists %s as the contract does", (type, expected) => {
    const node = getNodeType(type);
    expect({
      inputs: node.inputs.map(inputOf),
      outputs: node.outputs.map(({ name, type: kind, schema_ref: schema }) =>
        [name, kind, ...(schema === undefined ? [] : [schema])].join(" "),
      ),
      milliCredits: node.cost_milli_credits,
      parameters: node.parameters.map(({ name, advanced, required, value_schema: schema }) => {
        const marks = `${name}${advanced ? "†" : ""}${required ? "*" : ""}`;
        if (name === "segments") {
          return marks;
        }
        const given = schema as Schema;
        const fallback = "default" in given ? `; ${shown(given.default)}` : "";
        return `${marks} ${valuesOf(given)}${fallback}`;
      }),
    }).toEqual(expected);
  });

  it.each(Object.entries(NODES))(
    "charges %s exactly that, so that an estimate is exact",
    (type, expected) => {
      const node = findNodeType(type);
      if (node === undefined) {
        throw new Error(`There is no node ${type}.`);
      }
      // Whatever its length, its parameters and what is connected.
      expect(nodeCost(node, {}, [], NOTHING_STORED)).toMatchObject({
        costMilliCredits: expected.milliCredits,
        isCostCeiling: false,
      });
      expect(Object.keys(node.cost ?? {})).not.toContain("ofInputs");
    },
  );

  it("says that speech enhancement removes no reverberation and separates no sources", () => {
    expect(getNodeType("audio/speech_enhance").description).toContain(
      "It removes no reverberation and separates no sources.",
    );
  });
});

function shown(value: unknown): string {
  return Array.isArray(value) ? JSON.stringify(value) : String(value);
}
