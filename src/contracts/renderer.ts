/** The calls that the renderer accepts from other Workers, through the API Worker's binding RENDERER. */

export interface DescribeRequest {
  readonly v: 1;
}

/** The isolate that answered. */
export interface RendererState {
  /** Newest version of requests that it accepts. */
  readonly version: number;
  /** Bytes of its memory budget that work holds. */
  readonly taken_bytes: number;
  /** Bytes that are kept for later use and dropped when their room is needed. */
  readonly kept_bytes: number;
}

export interface RendererApi {
  /** Returns the state of one of the renderer's isolates, for health checks and tests. */
  describe(request: DescribeRequest): Promise<RendererState>;
}
