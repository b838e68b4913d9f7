import type { TranscriptPassage } from "../contracts/models/model-calls.ts";
import { ExactNumber, type JsonValue, isJsonObject } from "../lib/json/exact-json.ts";

/** The passages of a list of `{start, end, text}`, in seconds; those without usable times are left out. */
export function passagesOf(segments: JsonValue | undefined): readonly TranscriptPassage[] {
  return (Array.isArray(segments) ? (segments as readonly JsonValue[]) : []).flatMap((segment) => {
    const start = isJsonObject(segment) ? secondsOf(segment["start"]) : null;
    const end = isJsonObject(segment) ? secondsOf(segment["end"]) : null;
    const text = isJsonObject(segment) ? segment["text"] : undefined;
    return start === null || end === null || end < start || typeof text !== "string"
      ? []
      : [{ start, end, text }];
  });
}

/** A number of seconds, which some servers send as text; null for anything else. */
export function secondsOf(value: JsonValue | undefined): number | null {
  const seconds =
    value instanceof ExactNumber
      ? value.toNumber()
      : typeof value === "string" && /^\d{1,9}(\.\d{1,9})?$/.test(value)
        ? Number(value)
        : value;
  return typeof seconds === "number" && Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}
