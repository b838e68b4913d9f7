import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";

const AT_ONCE = 50;

/** Streams that clients hold open. */
export interface OpenStreams {
  /** Throws if one of them has ended. */
  check(): void;
  /** Aborts all connections, so that the server notices at once. */
  drop(): void;
}

interface OpenStream {
  readonly sent: ClientRequest;
  readonly answer: IncomingMessage;
}

/** Opens this many, each on its own connection, and resolves once each has sent something. */
export async function openStreams(
  url: string,
  headers: Readonly<Record<string, string>>,
  count: number,
): Promise<OpenStreams> {
  const agent = new Agent({ keepAlive: false });
  const streams: OpenStream[] = [];
  while (streams.length < count) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - streams.length) }, () =>
      openStream(agent, url, headers),
    );
    streams.push(...(await Promise.all(some)));
  }
  return {
    check() {
      const open = streams.filter(
        ({ answer: response }) => !response.complete && !response.destroyed,
      ).length;
      if (open !== count) {
        throw new Error(`${open} of ${count} streams were open: the measurement is discarded.`);
      }
    },
    drop() {
      for (const { sent } of streams) {
        sent.socket?.resetAndDestroy();
      }
    },
  };
}

function openStream(
  agent: Agent,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) {
        reject(new Error(`A stream returned ${response.statusCode}.`));
        return;
      }
      response.once("data", () => resolve({ sent, answer: response }));
      response.on("error", () => {});
    });
    sent.on("error", reject);
    sent.end();
  });
}
