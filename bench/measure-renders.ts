import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { DesignTemplate } from "../src/contracts/templates/design-template.ts";
import { readSample } from "../test/support/render/read-sample.ts";
import { startService } from "../test/support/node/start-service.ts";
import { atMost, type Figure } from "./figure.ts";
import { processorTimeUs } from "./processor-time.ts";
import { median, spread } from "./statistics.ts";

const ALONE = fileURLToPath(new URL("render-alone.ts", import.meta.url));
const TIME_MAX_MS = 300_000;
const SERVICES = 3;
const TEMPLATES = "/api/v1/design-templates";
const UNIT = "ms of processor time";

/** Page images, documents of many pages, and the first render of a fresh service; each in a process of its own. */
export async function measureRenders(directory: string): Promise<Figure[]> {
  const { images, pdfs } = await renderAlone<{ images: number[]; pdfs: number[] }>("image");
  const pages = await renderAlone<{
    few: number[];
    many: number[];
    idleMb: number;
    liveMb: number;
  }>("pages");
  const cold = await firstRenders(directory);
  return [
    {
      name: "page image of A4 at 150 dpi, beyond its PDF",
      unit: UNIT,
      ours: spread(images),
      beside: [{ name: "the PDF", value: spread(pdfs) }],
      targets: [atMost("<= 60 ms", median(images), 60)],
    },
    {
      name: "a page with a picture and a table, of 200",
      unit: UNIT,
      ours: spread(pages.many),
      beside: [{ name: "the same of 20", value: spread(pages.few) }],
      targets: [
        atMost("<= 1.3 x a page of 20", median(pages.many) / median(pages.few), 1.3),
        atMost("live memory < 64 MB beyond the idle renderer", pages.liveMb, 64),
      ],
      note: `the idle renderer has ${pages.idleMb.toFixed(0)} MB`,
    },
    {
      name: "the first render of a fresh service, beyond its first request",
      unit: UNIT,
      ours: spread(cold.first),
      beside: [
        { name: "the first request, which renders nothing", value: spread(cold.empty) },
        { name: "the second render", value: spread(cold.second) },
      ],
      targets: [atMost("<= 400 ms", median(cold.first), 400)],
    },
  ];
}

/** A job of render-alone.ts in a process of its own. */
export async function renderAlone<T>(job: string): Promise<T> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", ALONE, job], {
    timeout: TIME_MAX_MS,
    maxBuffer: 1 << 20,
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as T;
}

/** Of services that were started with a template that an earlier one stored. */
async function firstRenders(directory: string) {
  const folder = join(directory, "cold");
  await mkdir(folder, { recursive: true });
  const { document, sets } = readSample("invoice");
  const values = sets[1]?.values ?? {};
  const stored = await startService({ directory: folder });
  const { id } = await stored.client
    .call<DesignTemplate>("POST", TEMPLATES, {
      headers: { "idempotency-key": randomUUID() },
      body: { name: "Bench: an invoice", content: document },
    })
    .finally(() => stored.stop());
  const times = { empty: [] as number[], first: [] as number[], second: [] as number[] };
  for (let round = 0; round < SERVICES; round += 1) {
    const service = await startService({ directory: folder });
    try {
      const pid = await service.workerdPid();
      const timed = async (method: string, path: string, body?: object) => {
        const before = await processorTimeUs(pid);
        const response = await service.client.send(method, path, body && { body });
        const { byteLength } = await response.arrayBuffer();
        if (!response.ok || byteLength === 0) {
          throw new Error(`${method} ${path} returned ${response.status}.`);
        }
        return ((await processorTimeUs(pid)) - before) / 1_000;
      };
      const empty = await timed("GET", `${TEMPLATES}/${id}/draft/content`);
      const render = () => timed("POST", `${TEMPLATES}/${id}/draft/render`, { values });
      times.empty.push(empty);
      times.first.push((await render()) - empty);
      times.second.push(await render());
    } finally {
      await service.stop();
    }
  }
  return times;
}
