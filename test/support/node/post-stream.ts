import { Agent, request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/**
 * Posts a body that cannot be sent twice, over a new connection: the other side may close a kept-alive one at that
 * moment.
 */
export async function postStream(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: AsyncIterable<Uint8Array>,
): Promise<{ readonly status: number; readonly text: string }> {
  const sent = request(url, { method: "POST", headers, agent: new Agent({ keepAlive: false }) });
  const answered = new Promise<{ status: number; text: string }>((resolve, reject) => {
    sent.once("error", reject);
    sent.once("response", (response) => {
      let text = "";
      response
        .setEncoding("utf8")
        .on("data", (piece: string) => {
          text += piece;
        })
        .once("error", reject)
        .once("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
  });
  await Promise.all([pipeline(Readable.from(body), sent), answered]);
  return await answered;
}
