/** In display order. */
export const TOPICS = {
  requests: "Requests",
  access: "Access and rate limits",
  money: "Credits, bounds and plans",
  files: "Files and uploads",
  datasets: "Datasets",
  bundles: "Bundles",
  fonts: "Fonts",
  templates: "Design templates",
  definitions: "Definitions",
  values: "Values and calculations",
  media: "Pictures, codes and media",
  sound: "Sound and video",
  runs: "Runs",
  webhooks: "Webhooks",
  service: "The service",
} as const;
export type Topic = keyof typeof TOPICS;

/**
 * `problem`: `code` of an error response. `run`: `error_code`, also of items. `batch`: `error_code` of a batch. The others are in
 * lists of that name.
 */
export type CodeKind = "problem" | "run" | "batch" | "warning" | "definition issue";

export interface ListedCode {
  readonly code: string;
  readonly kind: CodeKind;
  readonly topic: Topic;
  readonly cause: string;
  readonly remedy: string;
  /** Only for problems. */
  readonly problem?: { readonly status: number; readonly retryable: boolean };
}
