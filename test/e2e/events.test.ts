/** Server-sent events over HTTP from the booted service, of runs with real tasks. */
import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import type { Execution } from "../../src/contracts/runs/run.ts";
import { type SharedService, sharedService } from "../support/node/shared-service.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { parseEvents, type SentEvent } from "../support/read-events.ts";
import { testInProof } from "../support/in-proof.ts";
import { IS_PROOF, sizeOf } from "../support/sizes.ts";

/** SSE_CLIENTS=1000 tests with 1,000 clients, which takes a minute. */
const CLIENTS = Number(process.env["SSE_CLIENTS"] ?? sizeOf("eventClients"));
const CODES = 100;

let service: SharedService;
/** For the proof, which kills it. */
let own: RunningService | undefined;
let token: string;
let workflow: string;

beforeAll(async () => {
  own = IS_PROOF ? await startService() : undefined;
  service = own ?? (await sharedService());
  token = await service.client.token();
  workflow = await publish(service.client, codesWorkflow());
});

afterAll(async () => {
  await own?.stop();
});

function codesWorkflow() {
  return {
    name: "Codes",
    definition: {
      nodes: [
        { id: "items", type: "enumerate/range", parameters: { start: 1, end: CODES } },
        {
          id: "line",
          type: "text/template",
          parameters: { template: "item [n]", placeholders: [{ inputPort: "n" }] },
        },
        { id: "draw", type: "image/code", parameters: { symbology: "qr", size: 128 } },
        { id: "picture", type: "output/image", parameters: {} },
      ],
      connections: [
        { from: { node: "items", port: "value" }, to: { node: "line", port: "n" } },
        { from: { node: "line", port: "text" }, to: { node: "draw", port: "text" } },
        { from: { node: "draw", port: "image" }, to: { node: "picture", port: "image" } },
      ],
    },
  };
}

const agent = new Agent({ keepAlive: false });

interface Watched {
  readonly status: number;
  readonly events: readonly SentEvent[];
  readonly seenAtMs: readonly number[];
}

/** Reads events until the stream ends or `enough` of them have arrived, then closes the connection. */
function watch(runId: string, lastEventId?: string, enough = Infinity): Promise<Watched> {
  return new Promise((resolve, reject) => {
    const events: SentEvent[] = [];
    const seenAtMs: number[] = [];
    let rest = "";
    const headers = {
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    };
    const url = `${service.baseUrl}/api/v1/executions/${runId}/events`;
    const sent = request(url, { agent, headers }, (response) => {
      const end = () => {
        resolve({ status: response.statusCode ?? 0, events, seenAtMs });
      };
      response.setEncoding("utf8").on("data", (chunk: string) => {
        rest += chunk;
        const at = rest.lastIndexOf("\n\n");
        if (at >= 0) {
          // Events beyond `enough` were sent and are lost with the connection.
          for (const event of parseEvents(rest.slice(0, at + 2)).slice(0, enough - events.length)) {
            events.push(event);
            seenAtMs.push(Date.now());
          }
          rest = rest.slice(at + 2);
        }
        if (events.length >= enough) {
          end();
          sent.destroy();
        }
      });
      response.on("end", end);
      response.on("error", end);
    });
    // Closing the connection also raises an error; the result is complete by then.
    sent.on("error", reject);
    sent.end();
  });
}

async function submit(): Promise<string> {
  const run = await service.client.call<Execution>("POST", "/api/v1/executions", {
    body: { workflow },
  });
  return run.id;
}

const kept = (events: readonly SentEvent[]) => events.filter(({ event }) => event !== "progress");

it("a client receives every commit while the run continues, and the end of the stream at its end", async () => {
  const { status, events, seenAtMs } = await watch(await submit());
  expect(status).toBe(200);
  expect(events.at(-1)).toMatchObject({ event: "done", data: { status: "completed" } });
  const outputs = events.filter(({ event }) => event === "output");
  expect(new Set(outputs.map(({ data }) => data.input_indices[0])).size).toBe(CODES);
  // They arrived one after the other, not all at the end.
  expect(new Set(outputs.map(({ id }) => id.split("-")[0])).size).toBeGreaterThan(3);
  // Received, and not only committed, before the run had ended: both times are of this machine's clock.
  const endedAtMs = Date.parse(events.at(-1)!.data.at);
  const early = outputs.filter((event) => seenAtMs[events.indexOf(event)]! < endedAtMs);
  expect(early.length).toBeGreaterThan(0);
});

it(
  `${CLIENTS} clients that disconnect and reconnect lose no event, and the service's memory stays the same`,
  async () => {
    const runId = await submit();
    let drops = 0;
    const follow = async (client: number): Promise<SentEvent[]> => {
      const seen: SentEvent[] = [];
      for (;;) {
        const { status, events } = await watch(runId, seen.at(-1)?.id, 8 + ((client + drops) % 17));
        expect(status).toBe(200);
        seen.push(...events);
        if (seen.at(-1)?.event === "done") {
          return seen;
        }
        drops++;
      }
    };
    const all = await Promise.all(Array.from({ length: CLIENTS }, (_, i) => follow(i)));
    const { events: whole } = await watch(runId);
    expect(whole.at(-1)?.event).toBe("done");
    expect(drops).toBeGreaterThan(CLIENTS * 4);
    for (const seen of all) {
      expect(kept(seen)).toEqual(kept(whole));
    }
    const over = await watch(runId, whole.at(-1)!.id);
    expect([over.status, over.events]).toEqual([204, []]);
    const again = await service.client.send("GET", `/api/v1/executions/${runId}`);
    expect(again.status).toBe(200);
  },
  180_000 + CLIENTS * 500,
);

testInProof("a crash undoes nothing that a client has received", async () => {
  const runId = await submit();
  const before = await watch(runId, undefined, 8);
  await own!.kill();
  own = await startService({ directory: own!.directory, port: own!.port });
  service = own;
  const after = await watch(runId, before.events.at(-1)!.id);
  expect(after.status).toBe(200);
  const { events: whole } = await watch(runId);
  expect([...kept(before.events), ...kept(after.events)]).toEqual(kept(whole));
  expect(whole.at(-1)).toMatchObject({ event: "done", data: { status: "completed" } });
});

it("Prefer: wait returns the ended run from a submit", async () => {
  const response = await service.client.send("POST", "/api/v1/executions", {
    body: { workflow },
    headers: { prefer: "wait=60" },
  });
  expect(response.headers.get("preference-applied")).toBe("wait=60");
  expect(await response.json()).toMatchObject({ status: "completed", outputs_total: CODES });
});
