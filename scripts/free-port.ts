import { createServer } from "node:net";

/**
 * Below the ports that systems give to outgoing connections: one of those could take a port that a
 * restart comes back to. And above 10080, the last that `fetch` refuses to call.
 */
const FIRST = 10_081;
const LAST = 32_000;
const TRIES = 100;

/** A port of the loopback interface that nothing listens on at this moment. Throws when none is found. */
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
