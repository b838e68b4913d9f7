import type { AppContext } from "../platform/context.ts";
import { type BodyPieces, bodyPieces } from "./body-pieces.ts";
import { drainBody } from "./drain-body.ts";

/**
 * Gives a request's body to `take`, piece by piece, and answers what it answers. The work goes on
 * when its client has gone away, for the clearing up that may be in it. When it refuses the body,
 * the rest of it is read away, so that the client gets the answer that says why.
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
