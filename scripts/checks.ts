import { spawn } from "node:child_process";

/** More do not end sooner on two cores, where some steps have two threads. */
const AT_ONCE = 2;

interface Options {
  readonly print: (text: string) => void;
  /** The command of a step; `npm run` by default. */
  readonly commandOf?: (step: string) => readonly [command: string, ...args: string[]];
}

/** Runs each step, and returns the names of those that failed, in the order given. Prints a step's output when it has ended. */
export async function runChecks(
  steps: readonly string[],
  { print, commandOf = (step) => ["npm", "run", "--silent", step] }: Options,
): Promise<string[]> {
  const failed = new Set<string>();
  let next = 0;
  const runInTurn = async () => {
    for (let step = steps[next++]; step !== undefined; step = steps[next++]) {
      const beganMs = performance.now();
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { isDone, output } = await run(commandOf(step));
      const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
      print(`> ${step}: ${isDone ? "passed" : "FAILED"} after ${seconds} s\n${output}`);
      if (!isDone) {
        failed.add(step);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runInTurn));
  return steps.filter((step) => failed.has(step));
}

function run([command, ...args]: readonly [string, ...string[]]): Promise<{
  readonly isDone: boolean;
  readonly output: string;
}> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    child.once("error", (error) => {
      resolve({ isDone: false, output: `${output}${error.message}\n` });
    });
    // After the streams have ended too. A step that was killed has no code.
    child.once("close", (code) => {
      resolve({ isDone: code === 0, output });
    });
  });
}
