/** Answers of an OpenAI-compatible server to `POST /images/generations` and `/images/edits`. */
import { sendJson } from "./openai-chat.ts";
import type { Answer, ReceivedRequest } from "./scripted-server.ts";

export interface ScriptedPictures {
  readonly pictures: readonly Uint8Array[];
  /** Returns addresses of the server itself below `/files/`, and serves the pictures there. */
  readonly asUrls?: boolean;
  /** Of the addresses; the server's own host if omitted. */
  readonly origin?: string;
}

/** Answers as the official API does. */
export function answerPictures({ pictures, asUrls = false, origin }: ScriptedPictures): Answer {
  return (request, response) => {
    const file = /^\/files\/(\d+)$/.exec(request.path)?.[1];
    if (file !== undefined) {
      // A wrong type: pictures are judged by their bytes.
      response.writeHead(200, { "content-type": "application/octet-stream" });
      response.end(pictures[Number(file)]);
      return;
    }
    const from = origin ?? `http://${request.headers.host}`;
    sendJson(response, 200, {
      created: 1_790_000_000,
      background: "opaque",
      data: pictures.map((bytes, at) =>
        asUrls
          ? { url: `${from}/files/${at}`, revised_prompt: "A kite." }
          : { revised_prompt: "A kite.", b64_json: Buffer.from(bytes).toString("base64") },
      ),
      usage: { input_tokens: 5, output_tokens: 7, total_tokens: 12 },
    });
  };
}

/** The fields and files of a form in their order; a file is its name, its type and its bytes. */
export async function readForm({ headers, body }: ReceivedRequest) {
  const parsed = await new Response(new Uint8Array(body), {
    headers: { "content-type": headers["content-type"] ?? "" },
  }).formData();
  const fields: [name: string, value: string | readonly [string, string, string]][] = [];
  for (const [name, value] of parsed as unknown as Iterable<[string, string | File]>) {
    fields.push([
      name,
      typeof value === "string"
        ? value
        : // oxlint-disable-next-line no-await-in-loop -- in order
          [value.name, value.type, Buffer.from(await value.arrayBuffer()).toString("base64")],
    ]);
  }
  return fields;
}
