import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** A request over a kept-alive connection, with as little client time as Node allows. */
export function httpCall(
  method: string,
  url: string,
  options: { headers?: Readonly<Record<string, string>>; body?: string } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers: { ...options.headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", reject);
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      // The server may close a kept-alive connection at the moment when it is reused.
      if (sent.reusedSocket && error.code === "ECONNRESET") {
        httpCall(method, url, options).then(resolve, reject);
      } else {
        reject(error);
      }
    });
    sent.end(options.body);
  });
}
