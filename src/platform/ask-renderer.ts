import type { RendererApi } from "../contracts/templates/renderer.ts";
import { AppError } from "../lib/errors/errors.ts";
import type { Env } from "./env.ts";
import { isStorageFailure } from "./storage-state.ts";

const RETRY_AFTER_S = "5";

/**
 * Calls the renderer. Throws `service_unavailable` in its own words if the call did not reach it or was cut off: the
 * platform's messages are those of a store that cannot be reached. Rethrows what the renderer throws.
 */
export async function askRenderer<T>(
  { RENDERER }: Pick<Env, "RENDERER">,
  ask: (renderer: RendererApi) => Promise<T>,
): Promise<T> {
  try {
    return await ask(RENDERER);
  } catch (error) {
    const isFromRenderer = error instanceof Error && "remote" in error && error.remote === true;
    throw isStorageFailure(error) && !isFromRenderer ? rendererUnavailable(error) : error;
  }
}

function rendererUnavailable(cause: unknown): AppError {
  return new AppError(
    "service_unavailable",
    "The renderer is unavailable: nothing was rendered, and nothing was changed. Try again in a few seconds, with the same Idempotency-Key if the route accepts one.",
    { headers: { "retry-after": RETRY_AFTER_S }, cause },
  );
}
