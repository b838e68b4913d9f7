/** Passes generated inputs to a reader and checks each result: one driver for every reader. */
import { SeededRandom } from "../../simulation/seeded-random.ts";

export interface ReaderFuzz<Input, Output> {
  readonly name: string;
  readonly seed: number;
  readonly executions: number;
  draw(random: SeededRandom): Input;
  read(input: Input): Promise<Output> | Output;
  /** Whether an error is the reader's own refusal. */
  isRefusal(error: unknown): boolean;
  /** The problem of an outcome (`undefined` for a refused input), according to a second reader. */
  judge?(
    input: Input,
    output: Output | undefined,
  ): Promise<string | undefined> | string | undefined;
  /** Bytes in use after garbage collection. Measured from time to time, and by sources of metered bytes. */
  liveBytes?(): number;
  /** A slower read counts as hanging; generous by default, since the machine has other load. */
  readonly hangMs?: number;
  /** For the report of a finding. */
  show?(input: Input): string;
}

export interface ReaderFinding {
  readonly execution: number;
  readonly problem: string;
  readonly input: string;
}

export interface ReaderReport {
  readonly executions: number;
  readonly seconds: number;
  readonly slowestMs: number;
  readonly accepted: number;
  readonly refused: number;
  readonly peakLiveBytes: number;
  readonly findings: readonly ReaderFinding[];
  /** One line: executions, seconds, results. */
  readonly text: string;
}

const HANG_MS = 5_000;
/** The memory limit of any path. */
export const LIVE_BYTES_MAX = 64 * 1024 * 1024;
const MEMORY_CHECKS = 10;
const FINDINGS_MAX = 10;

export async function fuzzReader<Input, Output>(
  fuzz: ReaderFuzz<Input, Output>,
): Promise<ReaderReport> {
  const startedMs = performance.now();
  const { hangMs = HANG_MS } = fuzz;
  const findings: ReaderFinding[] = [];
  const atRest = fuzz.liveBytes?.() ?? 0;
  const between = Math.max(1, Math.floor(fuzz.executions / MEMORY_CHECKS));
  let [accepted, refused, slowestMs, peakLiveBytes, execution] = [0, 0, 0, 0, 0];
  for (; execution < fuzz.executions && findings.length < FINDINGS_MAX; execution++) {
    // Each has its own seed, so that one can be reproduced without the previous ones.
    const input = fuzz.draw(new SeededRandom(fuzz.seed + execution));
    const found = (problem: string) =>
      findings.push({
        execution,
        problem,
        input: fuzz.show?.(input) ?? String(JSON.stringify(input)).slice(0, 500),
      });
    const beganMs = performance.now();
    let output: Output | undefined;
    try {
      output = await withinMs(hangMs, Promise.resolve(fuzz.read(input)));
      accepted++;
    } catch (error) {
      if (error instanceof Hang) {
        found(`no answer within ${hangMs} ms`);
        continue;
      }
      if (!fuzz.isRefusal(error)) {
        found(`threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        continue;
      }
      refused++;
    }
    const tookMs = performance.now() - beganMs;
    slowestMs = Math.max(slowestMs, tookMs);
    if (tookMs > hangMs) {
      found(`took ${tookMs} ms`);
    }
    const problem = await fuzz.judge?.(input, output);
    if (problem !== undefined) {
      found(problem);
    }
    if (fuzz.liveBytes !== undefined && execution % between === between - 1) {
      peakLiveBytes = Math.max(peakLiveBytes, fuzz.liveBytes() - atRest);
      if (peakLiveBytes > LIVE_BYTES_MAX) {
        found(`${peakLiveBytes} bytes are in use, more than ${LIVE_BYTES_MAX}`);
      }
    }
  }
  const seconds = (performance.now() - startedMs) / 1000;
  const text = `fuzz ${fuzz.name}: seed ${fuzz.seed}, ${execution} executions in ${seconds.toFixed(1)} s, ${accepted} accepted, ${refused} refused, slowest ${slowestMs.toFixed(0)} ms, ${findings.length} findings`;
  return {
    executions: execution,
    seconds,
    slowestMs,
    accepted,
    refused,
    peakLiveBytes,
    findings,
    text,
  };
}

class Hang extends Error {}

async function withinMs<T>(ms: number, reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hang = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Hang()), ms);
  });
  try {
    return await Promise.race([reading, hang]);
  } finally {
    clearTimeout(timer);
  }
}
