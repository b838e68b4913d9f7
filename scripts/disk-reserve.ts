/** Room that a data folder keeps for itself, so that a full disk does not end reading too. */
import { mkdir, rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The local D1 writes a page of its log at every read (docs/decisions/full-disk.md), and begins its
 * log anew at 4 MB.
 */
const RESERVE_BYTES = 6 * 1024 * 1024;
/** Below this the reserve is given up, and what would write is refused. */
const LOW_BYTES = 512 * 1024;
/** What must be free beside a new reserve. */
const SLACK_BYTES = 2 * 1024 * 1024;
const LOOK_EVERY_MS = 200;

export interface Reserve {
  /** Holds `space` while the disk has room. */
  readonly folder: string;
  stop(): void;
}

/**
 * Keeps the file `reserve/space` in a data folder while its disk has room, gives it up when the disk
 * is about to be full, and takes it again when there is room. `say` gets a line for each change.
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
      // A disk that cannot be asked, or takes no file, is looked at again.
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
