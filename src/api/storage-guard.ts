import type { AppContext } from "../platform/context.ts";
import { isDiskFull, isStorageFailure, storageUnavailable } from "../platform/storage-state.ts";

/** Two consecutive checks end a request, well within the 10 s that clients are promised. */
const LOOK_EVERY_MS = 2_500;

/** By then, a disk that has just filled up has released its reserve. */
const RESERVE_MS = 500;

/** Runs a request that only reads, and retries it once if the disk was found full meanwhile. */
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
 * Runs a request that writes. Not started if the disk is full; abandoned if the disk fills up meanwhile, because the
 * work may then never end. Throws `service_unavailable`.
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
