/** Reserved disk space of a data folder, so that reading still works on a full disk. */
import { mkdir, rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The local D1 writes a page of its log on every read (docs/decisions/full-disk.md) and restarts its log at 4 MB. */
const RESERVE_BYTES = 6 * 1024 * 1024;
/** Below this, the reserve is released and requests that write are refused. */
const LOW_BYTES = 512 * 1024;
/** Free space required before a new reserve is created. */
const SLACK_BYTES = 2 * 1024 * 1024;
const LOOK_EVERY_MS = 200;

export interface Reserve {
  /** Contains `space` while the disk has room. */
  readonly folder: string;
  stop(): void;
}

/**
 * Keeps the file `reserve/space` in a data folder while its disk has room, removes it when the disk is nearly full, and
 * creates it again when there is room. `say` receives a line for each change.
 */
export async function keepReserve(
  directory: string,
  say: (line: string) => void,
): Promise<Reserve> {
  const folder = join(directory, "reserve");
  const file = join(folder, "space");
  await mkdir(folder, { recursive: true });
  let isKept = await stat(file).then(
    ({ size }) => size === RESERVE_BYTES,
    () => false,
  );
  let isLooking = false;
  const look = async () => {
    const { bavail, bsize } = await statfs(directory);
    const free = bavail * bsize;
    if (isKept && free < LOW_BYTES) {
      await rm(file, { force: true });
      isKept = false;
      say(
        `The disk of ${directory} is full: requests that write return 503 until there is free space.`,
      );
    } else if (!isKept && free >= RESERVE_BYTES + SLACK_BYTES) {
      await writeFile(file, Buffer.alloc(RESERVE_BYTES));
      isKept = true;
    }
  };
  await look();
  const timer = setInterval(() => {
    if (!isLooking) {
      isLooking = true;
      // A disk that cannot be queried, or that accepts no file, is checked again later.
      look()
        .catch(() => undefined)
        .finally(() => {
          isLooking = false;
        });
    }
  }, LOOK_EVERY_MS);
  timer.unref();
  return {
    folder,
    stop: () => {
      clearInterval(timer);
    },
  };
}
