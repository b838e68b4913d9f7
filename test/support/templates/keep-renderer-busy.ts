/** A renderer with as many renders waiting as a workspace may have, whatever the speed of the machine. */
import { deflateSync } from "node:zlib";
import { env } from "cloudflare:workers";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { LIMITS } from "../../../src/lib/limits/limits-table.ts";
import type { Reply } from "../api-caller.ts";
import { waitUntil } from "../wait-until.ts";
import { pngOf } from "../pdf/png-of.ts";
import { templateRequest, WORKSPACE_ID } from "../render/template-request.ts";
import { guid } from "./template-api.ts";

const [WIDTH, HEIGHT] = [2_048, 2_000];
/** Two of 4 MB are more than finished renders may hold until they are read. */
const PICTURES = 2;

async function storePicture(shade: number): Promise<string> {
  const rows = new Uint8Array((WIDTH + 1) * HEIGHT).fill(shade);
  for (let y = 0; y < HEIGHT; y++) {
    rows[y * (WIDTH + 1)] = 0;
  }
  const png = pngOf(
    { width: WIDTH, height: HEIGHT, depth: 8, color: 0 },
    deflateSync(rows, { level: 0 }),
  );
  const folder = `${WORKSPACE_ID}/runs/run_${"0".repeat(32)}/${"b".repeat(43)}`;
  const key = `${folder}/busy-${shade}.png`;
  await env.FILES.put(key, png, { httpMetadata: { contentType: "image/png" } });
  return `storage://${key}`;
}

/**
 * Runs `work` while as many renders wait as one workspace may have: `ask` sends one of them. None begins meanwhile, because
 * the files of a finished one are not read. Throws unless all that waited are made afterwards.
 */
export async function withFullQueue<T>(
  ask: () => Promise<Reply>,
  work: () => Promise<T>,
): Promise<T> {
  const sources = await Promise.all(
    Array.from({ length: PICTURES }, (_, i) => storePicture(i + 1)),
  );
  const elements = sources.map((src, i) => ({
    $type: "image",
    id: guid(i + 2),
    width: 200,
    height: 200,
    src,
  }));
  const document = {
    schemaVersion: "2.0",
    pages: [{ id: guid(1), width: 200, height: 200, elements }],
  };
  const held = await env.RENDERER.render(await templateRequest(document as JsonValue, {}));
  if (!held.ok || held.body === null) {
    throw new Error(`The render that holds the others up was not made: ${JSON.stringify(held)}`);
  }
  const max = LIMITS.render_waiting.value;
  const waiting = Array.from({ length: max }, ask);
  await waitUntil("a full queue", async () => {
    const { waiting: count } = await env.RENDERER.describe({ v: 1 });
    return count === max;
  });
  const result = await work();
  await new Response(held.body).bytes();
  for (const { status, text } of await Promise.all(waiting)) {
    if (status !== 200) {
      throw new Error(`A render that waited was not made: ${text}`);
    }
  }
  return result;
}
