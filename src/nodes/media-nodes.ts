import { aggregateAudioTimeline } from "./aggregate/audio-timeline.ts";
import { audioConcat } from "./audio/concat.ts";
import { audioConvert } from "./audio/convert.ts";
import { audioDuck } from "./audio/duck.ts";
import { audioFitDuration } from "./audio/fit-duration.ts";
import { audioLoudnessNormalize } from "./audio/loudness-normalize.ts";
import { audioMix } from "./audio/mix.ts";
import { audioQualityReport } from "./audio/quality-report.ts";
import { audioSpeechEnhance } from "./audio/speech-enhance.ts";
import { audioSplit } from "./audio/split.ts";
import type { NodeType } from "./define-roles.ts";
import { videoAddSubtitles } from "./video/add-subtitles.ts";
import { videoSplit } from "./video/split.ts";
import { videoThumbnail } from "./video/thumbnail.ts";
import { videoConcat } from "./video/concat.ts";
import { videoExtractAudio } from "./video/extract-audio.ts";
import { videoMuxAudio } from "./video/mux-audio.ts";
import { utilityDubbingManifest } from "./utility/dubbing-manifest.ts";

/** The node types whose tasks run in the media Worker; a list of its own, as `renderer-nodes.ts` is. */
export const MEDIA_NODES: readonly NodeType[] = [
  aggregateAudioTimeline,
  audioConcat,
  audioConvert,
  audioDuck,
  audioFitDuration,
  audioLoudnessNormalize,
  audioMix,
  audioQualityReport,
  audioSpeechEnhance,
  audioSplit,
  utilityDubbingManifest,
  videoAddSubtitles,
  videoSplit,
  videoConcat,
  videoExtractAudio,
  videoMuxAudio,
  videoThumbnail,
];
