import { createServer } from "node:net";

/**
 * Below the range of ephemeral ports, so that no outgoing connection takes a port that a restarted service needs; above
 * 10080, the last port that `fetch` blocks.
 */
const FIRST = 10_081;
const LAST = 32_000;
const TRIES = 100;

/** Returns a port of the loopback interface that is currently free. Throws if there is none. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (await isFree(port)) {
      return port;
    }
  }
  throw new Error(`No port between ${FIRST} and ${LAST} is free.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => {
      server.close(() => resolve(true));
    });
  });
}
