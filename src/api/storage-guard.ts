import type { AppContext } from "../platform/context.ts";
import { isDiskFull, isStorageFailure, storageUnavailable } from "../platform/storage-state.ts";

/** Two looks in a row end a request: well within the 10 s that a client is promised. */
const LOOK_EVERY_MS = 2_500;

/** By then the reserve of a disk that has just filled up is given up. */
const RESERVE_MS = 500;

/** Does the work of a request that only reads: once more where the disk was found full on the way. */
export async function reading<T>(ctx: AppContext, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (ctx.env.RESERVE === undefined || !isStorageFailure(error)) {
      throw error;
    }
    await scheduler.wait(RESERVE_MS);
    return await work();
  }
}

/**
 * Does the work of a request that writes. On a disk that is full it is not begun, and work that the
 * disk fills up under, and which may then wait for ever, is not waited for. Throws
 * `service_unavailable`.
 */
export async function writing<T>(ctx: AppContext, work: () => T | Promise<T>): Promise<T> {
  if (ctx.env.RESERVE === undefined) {
    return await work();
  }
  if (await isDiskFull(ctx.env, ctx.nowMs())) {
    throw storageUnavailable();
  }
  const working = Promise.resolve(work());
  ctx.waitUntil(working.catch(() => undefined));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const full = new Promise<never>((_resolve, reject) => {
    let seen = 0;
    const look = async () => {
      seen = (await isDiskFull(ctx.env, ctx.nowMs())) ? seen + 1 : 0;
      if (seen === 2) {
        reject(storageUnavailable());
        return;
      }
      timer = setTimeout(() => void look(), LOOK_EVERY_MS);
    };
    timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  });
  try {
    return await Promise.race([working, full]);
  } finally {
    clearTimeout(timer);
  }
}
