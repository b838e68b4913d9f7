import type { AppContext } from "../platform/context.ts";
import { type BodyPieces, bodyPieces } from "./body-pieces.ts";

/**
 * Gives a request's body to `take`, piece by piece, and answers what it answers. The work goes on
 * when its client has gone away, for the clearing up that may be in it. When it refuses the body,
 * the rest of it is let go of, so that it is read away and the client gets the answer that says
 * why (`drain-body.ts`).
 */
export async function takeBody<T>(
  ctx: AppContext,
  body: ReadableStream<Uint8Array> | null,
  take: (read: BodyPieces["read"]) => Promise<T>,
): Promise<T> {
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
    throw error;
  }
}
