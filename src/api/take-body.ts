import type { AppContext } from "../platform/context.ts";
import { type BodyPieces, bodyPieces } from "./body-pieces.ts";
import { drainBody } from "./drain-body.ts";

/**
 * Passes a request's body to `take`, piece by piece, and returns its result. The work continues when the client
 * disconnects, so that its cleanup runs. If it refuses the body, the rest is drained so that the client receives the
 * response with the reason.
 */
export async function takeBody<T>(
  ctx: AppContext,
  request: Request,
  take: (read: BodyPieces["read"]) => Promise<T>,
): Promise<T> {
  const { body } = request;
  if (body === null) {
    return await take(() => Promise.resolve(undefined));
  }
  const pieces = bodyPieces(body);
  const taken = take(pieces.read);
  ctx.waitUntil(taken.catch(() => undefined));
  try {
    return await taken;
  } catch (error) {
    pieces.release();
    await drainBody(request, pieces.bytesRead());
    throw error;
  }
}
