/**
 * The floor of a delivery: a queue hop, two durable writes of an object and a signed fetch, without a schedule, a
 * lease, a list or a guard.
 */
import { createHmac } from "node:crypto";
import { DurableObject } from "cloudflare:workers";

interface Env {
  readonly FLOOR: DurableObjectNamespace<FloorObject>;
  readonly QUEUE: Queue<Message>;
}

interface Message {
  readonly id: number;
  readonly object: number;
  readonly url: string;
  readonly body: string;
}

const BATCH_MAX = 100;
const KEY = Buffer.alloc(32, 7);

export class FloorObject extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql.exec("CREATE TABLE IF NOT EXISTS delivery (id INTEGER PRIMARY KEY, status INTEGER)");
  }

  begin(id: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO delivery VALUES (?, 0)", id);
  }

  end(id: number, status: number): void {
    this.#sql.exec("UPDATE delivery SET status = ? WHERE id = ?", status, id);
  }
}

async function deliver(message: Message, env: Env): Promise<void> {
  const object = env.FLOOR.get(env.FLOOR.idFromName(String(message.object)));
  await object.begin(message.id);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const content = `${message.id}.${timestamp}.${message.body}`;
  const response = await fetch(message.url, {
    method: "POST",
    headers: {
      "content-type": "application/cloudevents+json",
      "webhook-id": String(message.id),
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${createHmac("sha256", KEY).update(content).digest("base64")}`,
    },
    body: message.body,
  });
  await response.arrayBuffer();
  await object.end(message.id, response.status);
}

export default {
  async fetch(request, env) {
    const { count, objects, url, body } = await request.json<{
      count: number;
      objects: number;
      url: string;
      body: string;
    }>();
    for (let first = 0; first < count; first += BATCH_MAX) {
      await env.QUEUE.sendBatch(
        Array.from({ length: Math.min(BATCH_MAX, count - first) }, (_, i) => ({
          body: { id: first + i, object: (first + i) % objects, url, body },
        })),
      );
    }
    return new Response(null, { status: 202 });
  },
  async queue(batch, env) {
    await Promise.all(batch.messages.map(({ body }) => deliver(body as Message, env)));
  },
} satisfies ExportedHandler<Env>;
