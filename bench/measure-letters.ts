import { randomUUID } from "node:crypto";
import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../scripts/run-workflow.ts";
import { uploadAsset } from "../scripts/upload-asset.ts";
import type { DesignTemplate } from "../src/contracts/templates/design-template.ts";
import { readPdfTexts } from "../test/support/pdf/read-pdf-texts.ts";
import { atLeast, type Figure } from "./figure.ts";
import { type Letter, letterDocument, letters } from "./letters.ts";
import { renderAlone } from "./measure-renders.ts";
import { median, spread } from "./statistics.ts";

const LETTERS = 1_000;
const [WARM_UP, ROUNDS] = [1, 2] as const;
const TEMPLATES = "/api/v1/design-templates";
const FETCHED_AT_ONCE = 20;

/**
 * 1,000 letters from the rows of one dataset, as files and as one file, from the submit to the end of the run, beside the
 * renderer alone in a loop. Every result is fetched, and the text of each letter is read with pdf.js.
 */
export async function measureLetters(client: ApiClient): Promise<Figure[]> {
  const all = letters(LETTERS);
  const template = await publishTemplate(client);
  const rows = all.map(({ name, city, amount }) => `${name},${city},${amount}\n`).join("");
  const path = await uploadAsset(client, "letters.csv", `name,city,amount\n${rows}`);
  const bare = await renderAlone<number[]>("letters");
  const figures: Figure[] = [];
  for (const [node, port, name] of [
    ["design/template_render", "pdf", "letters from one dataset, a PDF for each"],
    ["aggregate/pdf", "document", "letters from one dataset, in one PDF"],
  ] as const) {
    const workflow = await publish(client, workflowOf(template, node, port));
    const rates: number[] = [];
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      const begunAt = performance.now();
      const id = await submitRun(client, { workflow, inputs: { file: { asset_path: path } } });
      const run = await waitForRun(client, id, { timeoutMs: 240_000 });
      const seconds = (performance.now() - begunAt) / 1_000;
      if (run.status !== "completed") {
        throw new Error(`The run of ${node} has status ${run.status}: ${run.error_message}`);
      }
      if (round >= 0) {
        rates.push(LETTERS / seconds);
      }
      if (round === ROUNDS - 1) {
        await check(client, id, all);
      }
    }
    figures.push({
      name: `${LETTERS.toLocaleString("en-US")} ${name}`,
      unit: "a second",
      ours: spread(rates),
      beside: [{ name: "the renderer in a loop, in one isolate", value: spread(bare) }],
      targets: [atLeast("≥ 0.6 × the loop", median(rates) / median(bare), 0.6)],
    });
  }
  return figures;
}

async function publishTemplate(client: ApiClient): Promise<string> {
  const made = await client.call<DesignTemplate & { draft_etag: string }>("POST", TEMPLATES, {
    headers: { "idempotency-key": randomUUID() },
    body: { name: "Bench: a letter", content: letterDocument() },
  });
  await client.call("POST", `${TEMPLATES}/${made.id}/draft/publish`, {
    headers: { "idempotency-key": randomUUID(), "if-match": `"${made.draft_etag}"` },
    body: {},
  });
  return made.id;
}

function workflowOf(template: string, type: string, port: string): unknown {
  const columns = ["name", "city", "amount"];
  const link = (from: string, fromPort: string, to: string, toPort: string) => ({
    from: { node: from, port: fromPort },
    to: { node: to, port: toPort },
  });
  return {
    name: `Bench: letters, ${type}`,
    definition: {
      nodes: [
        { id: "file", type: "input/data" },
        {
          id: "rows",
          type: "enumerate/data_rows",
          parameters: {
            rowMapping: {
              columns: columns.map((column) => ({
                sourceColumn: column,
                outputPort: column,
                outputType: "text",
              })),
            },
          },
        },
        { id: "print", type, parameters: { template_id: template } },
        { id: "out", type: "output/document", parameters: { key: "letters" } },
      ],
      connections: [
        link("file", "dataset", "rows", "dataset"),
        ...columns.map((column) => link("rows", column, "print", column)),
        link("print", port, "out", "document"),
      ],
    },
  };
}

/** Throws unless each letter's name is in the files of the run, once. */
async function check(client: ApiClient, id: string, all: readonly Letter[]): Promise<void> {
  const { result } = await readResult(client, id);
  const urls = (result.by_key["letters"]?.items ?? []).map(({ url }) => url ?? "");
  const names: string[] = [];
  for (let at = 0; at < urls.length; at += FETCHED_AT_ONCE) {
    const files = await Promise.all(
      urls.slice(at, at + FETCHED_AT_ONCE).map(async (url) => {
        const response = await fetch(url);
        return new Uint8Array(await response.arrayBuffer());
      }),
    );
    for (const file of files) {
      for (const text of await readPdfTexts(file)) {
        names.push(...(text.match(/\w+ Person\d{5}/) ?? []));
      }
    }
  }
  const found = names.toSorted().join();
  if (
    found !==
    all
      .map(({ name }) => name)
      .toSorted()
      .join()
  ) {
    throw new Error(`${names.length} names are in ${urls.length} files, not ${all.length}.`);
  }
}
