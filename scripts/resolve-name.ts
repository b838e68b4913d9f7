/** The machine's own resolver, for the local service's egress guard. */
import { lookup } from "node:dns/promises";

const LOOK_UP_MAX_MS = 1_500;

/** Returns the addresses of a name; empty if it does not resolve in time. */
export async function resolveName(name: string): Promise<readonly string[]> {
  const found = lookup(name, { all: true, verbatim: true }).then(
    (entries) => entries.map(({ address }) => address),
    () => [],
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly string[]>((done) => {
    timer = setTimeout(() => done([]), LOOK_UP_MAX_MS);
  });
  try {
    return await Promise.race([found, late]);
  } finally {
    clearTimeout(timer);
  }
}
