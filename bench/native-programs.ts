/** Processor time of jobs of the media Worker in Node, and of native programs on the same files. */
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const HOOKS = fileURLToPath(new URL("load-wasm.mjs", import.meta.url).href);

export const NATIVE = "native ffmpeg, one thread";
/** Options of ffmpeg: errors alone are printed, and files are replaced. */
export const QUIET = ["-v", "error", "-nostdin", "-y"];

/** Milliseconds of processor time of each round of a script that prints them as `samples` (sounds-alone.ts, films-alone.ts). */
export function jobMs(script: string, args: readonly string[]): readonly number[] {
  const output = execFileSync(process.execPath, ["--import", HOOKS, script, ...args], {
    encoding: "utf8",
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  });
  const { samples } = JSON.parse(output) as { samples: number[] };
  return samples;
}

/** User and system time of programs, one after another, in milliseconds for each round. Throws if one fails. */
export function commandsMs(
  commands: readonly (readonly string[])[],
  rounds: number,
): readonly number[] {
  return Array.from({ length: rounds }, () =>
    commands.reduce((sum, command) => sum + processMs(command), 0),
  );
}

function processMs(command: readonly string[]): number {
  const script = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1 || echo failed >&2';
  const { stderr } = spawnSync("bash", ["-c", script, "bash", ...command], { encoding: "utf8" });
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(/\s+/).map(Number);
  if (stderr.includes("failed") || Number.isNaN(user + system)) {
    throw new Error(`${command.join(" ")} failed.`);
  }
  return (user + system) * 1_000;
}

export function isInstalled(program: string, argument = "--version"): boolean {
  return spawnSync(program, [argument]).error === undefined;
}
