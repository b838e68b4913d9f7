import { randomUUID } from "node:crypto";
import type { ApiClient } from "../scripts/api-client.ts";
import type { DesignTemplate } from "../src/contracts/templates/design-template.ts";
import { parseJson } from "../src/lib/json/exact-json.ts";
import { validateDocument } from "../src/templates/document/validate-document.ts";
import { type RunningService, startService } from "../test/support/node/start-service.ts";
import { atMost, type Figure } from "./figure.ts";
import { elementId, largeDocument } from "./large-document.ts";
import { processorTimeUs } from "./processor-time.ts";
import { median, spread } from "./statistics.ts";

const ELEMENTS = 10_000;
const [WARM_UP, ROUNDS] = [10, 15] as const;
const TEMPLATES = "/api/v1/design-templates";

/**
 * Processor time of a large document: its validation, an edit of one element, and the repeat of a write. The service is its
 * own: it is the time of a whole process, in which the work that other measurements have left would count.
 */
export async function measureTemplateEdits(directory: string): Promise<Figure[]> {
  const service = await startService({ directory });
  try {
    return await measure(service);
  } finally {
    await service.stop();
  }
}

async function measure({
  client,
  workerdPid,
}: Pick<RunningService, "client" | "workerdPid">): Promise<Figure[]> {
  const document = largeDocument(ELEMENTS);
  const text = JSON.stringify(document);
  const pid = await workerdPid();
  const { id } = await client.call<DesignTemplate>("POST", TEMPLATES, {
    headers: { "idempotency-key": randomUUID() },
    body: { name: "Bench: a large document" },
  });
  const draft = `${TEMPLATES}/${id}/draft`;
  const put = { method: "PUT", path: `${draft}/content`, key: randomUUID(), body: document };
  await sent(client, put);
  const api = async (make: (round: number) => Request) => {
    const samples: number[] = [];
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      const before = await processorTimeUs(pid);
      await sent(client, make(round));
      const took = (await processorTimeUs(pid)) - before;
      if (round >= 0) {
        samples.push(took / 1_000);
      }
    }
    return samples;
  };
  const edits = await api((round) => ({
    method: "PATCH",
    path: `${draft}/elements/${elementId(6)}`,
    key: randomUUID(),
    body: { text: `Edit ${round}` },
  }));
  const replays = await api(() => put);
  const reads = await api(() => ({ method: "GET", path: `${draft}/content` }));
  const validations = own(() => {
    const parsed = parseJson(text);
    return () => {
      if (!validateDocument(parsed).ok) {
        throw new Error("The large document is not valid.");
      }
    };
  });
  const parses = own(() => () => void JSON.stringify(JSON.parse(text)));
  const beside = [
    { name: "JSON.parse and JSON.stringify of its text, in Node", value: spread(parses) },
    { name: "reading it over the API", value: spread(reads) },
  ];
  const unit = "ms of processor time";
  const size = `${text.length} bytes`;
  return [
    {
      name: `validation of a document with ${ELEMENTS.toLocaleString("en-US")} elements`,
      unit,
      ours: spread(validations),
      beside,
      targets: [atMost("<= 150 ms", median(validations), 150)],
      note: size,
    },
    {
      name: `an edit of one of ${ELEMENTS.toLocaleString("en-US")} elements, over the API`,
      unit,
      ours: spread(edits),
      beside,
      targets: [atMost("<= 60 ms", median(edits), 60)],
      note: size,
    },
    {
      name: `the repeat of a PUT of ${ELEMENTS.toLocaleString("en-US")} elements, over the API`,
      unit,
      ours: spread(replays),
      beside,
      targets: [atMost("<= 10 ms", median(replays), 10)],
      note: size,
    },
  ];
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly key?: string;
  readonly body?: unknown;
}

async function sent(client: ApiClient, { method, path, key, body }: Request): Promise<void> {
  await client.call(method, path, {
    headers: {
      // Compressing the response is the server's, not the document's.
      "accept-encoding": "identity",
      ...(key !== undefined && { "idempotency-key": key, "if-match": "*" }),
    },
    ...(body === undefined ? {} : { body }),
  });
}

/** Of this process. `prepare` is not counted. */
function own(prepare: () => () => void): number[] {
  const samples: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const work = prepare();
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    if (round >= 0) {
      samples.push((user + system) / 1_000);
    }
  }
  return samples;
}
