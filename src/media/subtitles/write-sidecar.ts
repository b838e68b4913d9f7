import type { SubtitleCue } from "./subtitle-cue.ts";

export type SidecarFormat = "srt" | "vtt";

/** A document with the cues, in UTF-8 with LF (docs/contract/media.md#subtitles). Without a cue, an SRT is empty. */
export function writeSidecar(cues: readonly SubtitleCue[], format: SidecarFormat): string {
  return format === "srt"
    ? cues
        .map(
          ({ startMs, endMs, text }, index) =>
            `${index + 1}\n${clock(startMs, ",")} --> ${clock(endMs, ",")}\n${cuePayload(text, format)}\n`,
        )
        .join("\n")
    : [
        "WEBVTT\n",
        ...cues.map(
          ({ startMs, endMs, text }) =>
            `${clock(startMs, ".")} --> ${clock(endMs, ".")}\n${cuePayload(text, format)}\n`,
        ),
      ].join("\n");
}

/** `HH:MM:SS` with milliseconds behind `mark`. */
function clock(ms: number, mark: "," | "."): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const seconds = Math.floor(ms / 1000);
  const whole = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${whole.map(two).join(":")}${mark}${String(ms % 1000).padStart(3, "0")}`;
}

/** The text of a cue in a document: without blank lines, which would end the cue, and escaped for WebVTT. */
export function cuePayload(text: string, format: SidecarFormat): string {
  const lines = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .join("\n");
  return format === "srt" ? lines : escaped(lines);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
