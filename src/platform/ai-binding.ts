/** The part of Cloudflare's `Ai` binding that is used. */
export interface AiBinding {
  run(
    model: string,
    inputs: Readonly<Record<string, unknown>>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<unknown>;
}
