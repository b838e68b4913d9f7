import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

const QUIET_MS = 600;
const SILENCE_MAX_MS = 30_000;

/**
 * Waits, without sending requests, until no file of the objects has changed for a while: an active object writes. A due
 * alarm fires about a second after a start.
 */
export async function silence(directory: string): Promise<void> {
  const deadline = Date.now() + SILENCE_MAX_MS;
  await sleep(1500);
  while (Date.now() < deadline) {
    if (Date.now() - (await lastChangeMs(join(directory, "objects"))) > QUIET_MS) {
      return;
    }
    await sleep(100);
  }
}

async function lastChangeMs(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const times = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    );
  return Math.max(0, ...(await Promise.all(times)));
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
