let began = process.cpuUsage();

/** Begins to count: what a round did before is not part of it. */
export function begin(): void {
  began = process.cpuUsage();
}

/** Processor time and elapsed time of each round in milliseconds, after one round that compiles. */
export async function roundsOf(
  work: () => Promise<unknown>,
  rounds: number,
): Promise<{ readonly samples: readonly number[]; readonly wallMs: readonly number[] }> {
  const samples: number[] = [];
  const wallMs: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const from = performance.now();
    begin();
    await work();
    const { user, system } = process.cpuUsage(began);
    if (round >= 0) {
      samples.push((user + system) / 1_000);
      wallMs.push(performance.now() - from);
    }
  }
  return { samples, wallMs };
}
