/** The minimum that makes a ZIP of stored files: client-zip between two keys of the bucket. */
import { makeZip } from "client-zip";

interface Env {
  readonly FILES: R2Bucket;
}

const PART_BYTES = 8 * 1024 * 1024;

async function* stored(env: Env, count: number) {
  for (let index = 0; index < count; index++) {
    const object = await env.FILES.get(`in/${index}`);
    if (object === null) {
      throw new Error(`in/${index} does not exist.`);
    }
    yield {
      name: `texts/${index}.txt`,
      input: object.body,
      size: object.size,
      lastModified: new Date(0),
    };
  }
}

export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const count = Number(url.searchParams.get("count"));
    if (request.method === "PUT") {
      const body = await request.arrayBuffer();
      for (let index = 0; index < count; index++) {
        await env.FILES.put(`in/${index}`, body);
      }
      return new Response("stored");
    }
    const upload = await env.FILES.createMultipartUpload("out.zip");
    const parts: R2UploadedPart[] = [];
    let part = new Uint8Array(PART_BYTES);
    let filled = 0;
    let sizeBytes = 0;
    const send = async (bytes: Uint8Array) => {
      parts.push(await upload.uploadPart(parts.length + 1, bytes));
    };
    for await (const chunk of makeZip(stored(env, count)) as unknown as AsyncIterable<Uint8Array>) {
      sizeBytes += chunk.byteLength;
      for (let at = 0; at < chunk.byteLength;) {
        const taken = chunk.subarray(at, at + PART_BYTES - filled);
        part.set(taken, filled);
        filled += taken.byteLength;
        at += taken.byteLength;
        if (filled === PART_BYTES) {
          await send(part);
          part = new Uint8Array(PART_BYTES);
          filled = 0;
        }
      }
    }
    await send(part.subarray(0, filled));
    await upload.complete(parts);
    return new Response(String(sizeBytes));
  },
} satisfies ExportedHandler<Env>;
