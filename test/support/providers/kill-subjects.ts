/** The calls of models during which a test kills the service, and the moments at which it does. */
import { voiceOf } from "./elevenlabs-server.ts";
import type { KillMoment } from "./kill-moments.ts";

export type ServerName = "openai" | "eleven" | "replicate" | "fal";
type IsRequest = KillMoment["isIt"];

export interface Subject {
  readonly node: object;
  readonly port: readonly [input: string, output: string, type: string];
  /** Follows the tag of the call in its text. */
  readonly more: string;
  readonly server: ServerName;
  readonly credits: number;
  readonly isWork: IsRequest;
  /** Of requests after the one that asks for work. */
  readonly later: readonly (readonly [name: string, isIt: IsRequest])[];
}

export interface Point {
  readonly subject: string;
  /** Null is the answer to the submit, before any request. */
  readonly moment: KillMoment | null;
}

const LONG_TEXT = "A kite rises. ".repeat(2_000);
/** Of the same length for each of the calls of a kill. */
export const tagOf = (call: number) => `A kite ${String(call + 10)}.`;

const isPost: IsRequest = (method) => method === "POST";
const isFile: IsRequest = (_method, path) => path.startsWith("/files/");
const size = { width: 64, height: 64 };

export const SUBJECTS: Readonly<Record<string, Subject>> = {
  text: {
    // Its prompt is more than the server reads at once.
    node: { type: "ai/text_generation", parameters: { model: "tiny", max_input_tokens: 20_000 } },
    port: ["prompt", "text", "text"],
    more: LONG_TEXT,
    server: "openai",
    // Ten tokens in and five out.
    credits: 0.015,
    isWork: isPost,
    later: [],
  },
  speech: {
    node: {
      type: "ai/text_to_speech",
      parameters: { model: "eleven-flash-v2-5", voice: voiceOf(1).voice_id },
    },
    port: ["text", "audio", "audio"],
    more: "",
    server: "eleven",
    // Ten characters.
    credits: 0.09,
    isWork: isPost,
    later: [],
  },
  prediction: {
    node: { type: "ai/text_to_image", parameters: { model: "flux-schnell", ...size } },
    port: ["prompt", "result", "image"],
    more: "",
    server: "replicate",
    credits: 0.3,
    isWork: (method, path) => method === "POST" && path.endsWith("/predictions"),
    later: [
      ["a poll", (method, path) => method === "GET" && path.includes("/predictions/")],
      ["its file", isFile],
    ],
  },
  queue: {
    node: { type: "ai/text_to_image", parameters: { model: "fal-flux-schnell", ...size } },
    port: ["prompt", "result", "image"],
    more: "",
    server: "fal",
    credits: 0.002,
    isWork: isPost,
    later: [
      ["a poll", (_method, path) => path.includes("/status")],
      ["its output", (method, path) => method === "GET" && /\/requests\/[^/]+$/.test(path)],
      ["its file", isFile],
    ],
  },
};

/** Every moment of every subject. */
export const POINTS: readonly Point[] = Object.entries(SUBJECTS).flatMap(
  ([subject, { isWork, later }]) => {
    const steps = [["the request", isWork] as const, ...later];
    const held = steps.flatMap(([step, isIt]) =>
      (["arrives", "held", "half", "answered"] as const).map((at): Point => ({
        subject,
        moment: { name: `${step} ${at}`, isIt, at },
      })),
    );
    return [{ subject, moment: null }, ...held];
  },
);

/** At these a call receives its file, and holds most of the isolate's memory. */
const receivesFile = ({ subject, moment }: Point) =>
  moment?.isIt === isFile || (subject === "speech" && moment?.at === "half");
const HEAVY_POINTS = POINTS.filter(receivesFile);
const LIGHT_POINTS = POINTS.filter((point) => !receivesFile(point));

/** The points of a kill: the next one at which a call receives its file, and the next `light` others. */
export function pointsOf(kill: number, light: number): readonly Point[] {
  const next = Array.from(
    { length: light },
    (_, i) => LIGHT_POINTS[(kill * light + i) % LIGHT_POINTS.length]!,
  );
  return [...next, HEAVY_POINTS[kill % HEAVY_POINTS.length]!];
}
