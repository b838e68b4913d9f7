/** What a Worker is asked to do that calls models. */
export interface ModelCallsOrder {
  readonly who: "ours" | "theirs";
  readonly what: "text" | "streamed text" | "picture" | "replicate" | "fal";
  readonly count: number;
  /** Address of the provider's scripted server. */
  readonly baseUrl: string;
}
