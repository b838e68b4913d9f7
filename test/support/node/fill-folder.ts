import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder that is there whole or not at all: `fill` writes into a folder beside it, which is renamed. Several
 * processes of the tests begin at once, and a program that another one is still writing cannot be started ("text file
 * busy"). The first one wins; what the others wrote is removed.
 */
export async function fillFolder(
  folder: string,
  fill: (own: string) => Promise<void>,
): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const own = await mkdtemp(`${folder}-`);
  try {
    await fill(own);
    await rename(own, folder);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    if (!existsSync(folder)) {
      throw error;
    }
  }
}
