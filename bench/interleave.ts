/** Runs each entry once per round, so that other load on the machine affects all entries alike. */
export async function interleave<Name extends string>(
  rounds: number,
  entries: Readonly<Record<Name, () => Promise<number>>>,
  warmUp = 2,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(entries) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >;
  for (let round = -warmUp; round < rounds; round += 1) {
    // The order rotates, so that no entry always runs after the same one.
    for (let i = 0; i < names.length; i += 1) {
      const name = names[(i + Math.max(round, 0)) % names.length] as Name;
      const ms = await entries[name]();
      if (round >= 0) {
        samples[name].push(ms);
      }
    }
  }
  return samples;
}
