import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Figure } from "./figure.ts";

const ALONE = fileURLToPath(new URL("pictures-alone.ts", import.meta.url));
const MEMORY = fileURLToPath(new URL("picture-memory.ts", import.meta.url));
const TIME_MAX_MS = 600_000;

/** The figures of `pictures-alone.ts` and `picture-memory.ts`, whose modules share nothing with those of other measurements. */
export async function measurePictures(): Promise<Figure[]> {
  return [...(await figuresOf(ALONE)), ...(await figuresOf("--expose-gc", MEMORY))];
}

async function figuresOf(...args: readonly string[]): Promise<Figure[]> {
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: TIME_MAX_MS });
  // Our own process: what it prints has the type that its code gives it.
  return JSON.parse(stdout) as Figure[];
}
