/** `npm run demo`: starts the service, runs the airport sample on a real file, and shows where the results are. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { ApiClient } from "./api-client.ts";
import { fetchZip } from "./fetch-zip.ts";
import { freePort } from "./free-port.ts";
import { startLocalService, type LocalService } from "./local-service.ts";
import { makeCatalog } from "./make-catalog.ts";
import { makeDub } from "./make-dub.ts";
import { describeDiff, makeLabels } from "./make-labels.ts";
import { makePodcast } from "./make-podcast.ts";
import { makeProductShoot } from "./make-product-shoot.ts";
import { onStopSignal } from "./on-stop-signal.ts";
import { ProgressBar } from "./progress-bar.ts";
import { AIRPORTS_FILE, readAirports } from "./read-airports.ts";
import { readResult, submitRun, waitForRun, type RunResult } from "./run-workflow.ts";
import { saveOutputs, type SavedOutputs } from "./save-outputs.ts";
import { uploadAsset } from "./upload-asset.ts";

const OUT = "demo-output";
const PRODUCT = "A blue enamel teapot";
/** The product, and three variants in each of two scenes. */
const PRODUCT_PICTURES = 7;
const USAGE = `Usage: npm run demo -- [--state XX] [--exit]
  --state XX  the state whose airports get a card and a map code (default CO)
  --exit      stop after the run, as it does when the output is not a terminal`;

interface Workflow {
  readonly id: string;
  readonly name: string;
  readonly execution_contract: { readonly primary: { readonly interface?: string } };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      state: { type: "string", default: "CO" },
      exit: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const startedAt = performance.now();
  await rm(OUT, { recursive: true, force: true });
  await mkdir(OUT, { recursive: true });
  const rows = await readAirports();
  const directory = join(OUT, "service");
  const port = await freePort();
  console.log(
    "Edgeloom demo: starting the service on this machine, with no account, key or network …",
  );
  const service = await startLocalService({ port, directory, logTo: await logFile() });
  let hasFailed = true;
  try {
    console.log(`  ready on ${service.baseUrl} after ${seconds(startedAt)}`);
    await runSample(service, rows, values.state, startedAt);
    hasFailed = false;
  } finally {
    if (hasFailed || values.exit || !process.stdout.isTTY) {
      await service.stop();
    }
  }
  if (values.exit || !process.stdout.isTTY) {
    console.log(
      `\nThe service has stopped. To try the commands above, start it again with the same data:\n` +
        `  npm run dev -- --persist ${directory} --port ${port}`,
    );
    process.exit(0);
  }
  console.log("\nThe service keeps running. Ctrl-C stops it.");
  onStopSignal(() => service.stop());
}

async function runSample(
  service: LocalService,
  rows: Awaited<ReturnType<typeof readAirports>>,
  state: string,
  startedAt: number,
): Promise<void> {
  const client = new ApiClient(service.credentials);
  const [guide, card] = await Promise.all([
    findWorkflow(client, "Airport guide"),
    findWorkflow(client, "Greeting card"),
  ]);
  const chosen = rows.filter((row) => row.state === state).length;
  if (chosen === 0) {
    throw new Error(`The data has no airport in the state "${state}". Try CO, TX or AK.`);
  }
  const file = await readFile(AIRPORTS_FILE);
  const assetPath = await uploadAsset(client, basename(AIRPORTS_FILE), new Uint8Array(file));
  console.log(`  uploaded ${basename(AIRPORTS_FILE)}, ${kilobytes(file.length)}, as ${assetPath}`);
  console.log(
    `  running "${guide.name}" on its ${count(rows.length)} rows, ${chosen} of them in ${state}\n`,
  );
  const { interface: interfaceId } = guide.execution_contract.primary;
  const submittedAt = performance.now();
  const runId = await submitRun(client, {
    workflow: guide.id,
    ...(interfaceId === undefined ? {} : { interface: interfaceId }),
    inputs: {
      airports: { asset_path: assetPath },
      // A value is JSON, carried as a string (docs/contract/executions.md#inputs).
      state: { value: JSON.stringify(state) },
    },
  });
  const bar = new ProgressBar(process.stdout);
  const execution = await waitForRun(client, runId, {
    pollMs: 60,
    onProgress: ({ progress, progress_message }) => bar.show(progress, progress_message),
  });
  bar.end();
  const runMs = performance.now() - submittedAt;
  const result = await readResult(client, runId);
  if (execution.status !== "completed") {
    throw new Error(
      `The run ended with status ${execution.status}: ${execution.error_code} ${execution.error_message}`,
    );
  }
  const saved = await saveOutputs(result, OUT);
  verify(result, saved, { rows: rows.length, chosen });
  printTable(result, saved);
  const zips = await fetchZip(client, runId, OUT);
  const zipped = zips.reduce((sum, { files }) => sum + files, 0);
  if (zipped !== result.result.items.length) {
    throw new Error(`The ZIP contains ${zipped} of ${result.result.items.length} outputs.`);
  }
  console.log(
    `\n${count(rows.length)} rows in ${(runMs / 1000).toFixed(2)} s, after ${seconds(startedAt)} in all.`,
  );
  console.log(
    `Results are in ${OUT}/: ${saved.pictures} pictures in ${OUT}/map_codes/, the rest as JSON and text.`,
  );
  for (const { file: zip, bytes, files } of zips) {
    console.log(`All ${count(files)} files in one ZIP, ${kilobytes(bytes)}: ${zip}`);
  }
  const catalog = await makeCatalog(client, { assetPath, state });
  if (catalog.cards !== chosen) {
    throw new Error(`The catalog has ${catalog.cards} cards, not ${chosen}.`);
  }
  const pdf = join(OUT, "catalog.pdf");
  await writeFile(pdf, catalog.pdf);
  console.log(
    `A catalog of ${count(chosen)} cards with a cover and a last page, ${kilobytes(catalog.pdf.byteLength)}: ${pdf}`,
  );
  await shootProduct(client);
  await recordPodcast(client);
  await dubFilm(client);
  await labelProducts(client);
  await printNextSteps(client, runId, card.id);
}

async function shootProduct(client: ApiClient): Promise<void> {
  const directory = join(OUT, "models");
  const { pictures, models } = await makeProductShoot(client, { product: PRODUCT, directory });
  if (pictures !== PRODUCT_PICTURES) {
    throw new Error(`The product shoot has ${pictures} pictures, not ${PRODUCT_PICTURES}.`);
  }
  console.log(
    `A product shoot by models: ${pictures} pictures, a caption and a spoken line in ${directory}/. Calls: ${models.join(", ")}.`,
  );
  console.log(
    "  These are samples that no AI model made. To use a real one: npm run cli -- providers add (docs/providers.md).",
  );
}

async function recordPodcast(client: ApiClient): Promise<void> {
  const directory = join(OUT, "podcast");
  const { report } = await makePodcast(client, { directory });
  const { duration_seconds: length, loudness, peaks } = report;
  console.log(
    `A podcast in ${directory}/: ${length.toFixed(1)} s of a sample voice over music, at ${loudness.integrated_lufs?.toFixed(1)} LUFS with a true peak of ${peaks.true_peak_dbtp?.toFixed(1)} dBTP; waveform.svg shows both.`,
  );
}

async function dubFilm(client: ApiClient): Promise<void> {
  const directory = join(OUT, "dub");
  const { cues, duration, speakers } = await makeDub(client, { directory });
  console.log(
    `A dub in ${directory}/: ${cues} lines in ${duration} s of film, spoken by ${speakers.join(" and ")}, with subtitles and a manifest that passed its checks.`,
  );
}

async function labelProducts(client: ApiClient): Promise<void> {
  const directory = join(OUT, "labels");
  const { first, failed, last, retry, diff } = await makeLabels(client, { directory });
  console.log(
    `A batch of ${first.total_items} products, a label each in ${directory}/: ${first.completed} completed and "${failed.client_reference}" failed with ${failed.error_code}.`,
  );
  console.log(
    `  Its workflow fixed, a retry ran that row alone and took over ${retry.reused_iterations} of its elements: ${last.completed} completed, ${last.credits_used} credits in all. What the fix changed:`,
  );
  for (const line of describeDiff(diff)) {
    console.log(`    ${line}`);
  }
}

async function findWorkflow(client: ApiClient, name: string): Promise<Workflow> {
  const { data } = await client.call<{ data: readonly Workflow[] }>(
    "GET",
    "/api/v1/workflows?limit=100",
  );
  const found = data.find((workflow) => workflow.name === name);
  if (found === undefined) {
    throw new Error(`The service has no workflow "${name}".`);
  }
  return client.call<Workflow>("GET", `/api/v1/workflows/${found.id}`);
}

/** Reports problems with the results, so that the demo never claims a success that it did not check. */
function verify(
  { result }: RunResult,
  saved: SavedOutputs,
  expected: { rows: number; chosen: number },
): void {
  const counted = result.by_key["airport_count"]?.value;
  const checks = result.by_key["code_checks"]?.items ?? [];
  const readBack = checks.filter(
    ({ value }) => (value as { passed?: boolean } | null)?.passed === true,
  );
  const problems = [
    ...(counted === expected.rows
      ? []
      : [`airport_count is ${String(counted)}, not ${expected.rows}`]),
    ...(saved.pictures === expected.chosen
      ? []
      : [`${saved.pictures} pictures, not ${expected.chosen}`]),
    ...(readBack.length === expected.chosen
      ? []
      : [`${readBack.length} codes were read back, not ${expected.chosen}`]),
  ];
  if (problems.length > 0) {
    throw new Error(`The run completed, but ${problems.join("; ")}.`);
  }
}

function printTable({ result }: RunResult, saved: SavedOutputs): void {
  const lines = Object.values(result.by_key).map((group) => {
    const items =
      group.cardinality === "multiple" ? `${count(group.items.length)} items` : "single";
    return [group.key, items, group.state, saved.describe(group.key)] as const;
  });
  const header = ["output", "", "state", "content"] as const;
  const widths = [0, 1, 2].map((i) =>
    Math.max(...[header, ...lines].map((line) => (line[i] ?? "").length)),
  );
  console.log("");
  for (const line of [header, ...lines]) {
    console.log(
      `  ${line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd()}`,
    );
  }
}

async function printNextSteps(client: ApiClient, runId: string, cardId: string): Promise<void> {
  const header = join(OUT, "authorization");
  await writeFile(header, `authorization: Bearer ${await client.token()}\n`, { mode: 0o600 });
  const body = JSON.stringify({ workflow: cardId, inputs: { name: { value: '"Ada"' } } });
  const api = `${client.baseUrl}/api/v1`;
  console.log(`
Try next (the token in ${header} is valid for an hour):
  curl -s -H @${header} ${api}/executions/${runId}
  curl -s -H @${header} -H 'content-type: application/json' -d '${body}' ${api}/executions
  curl -s -H @${header} '${api}/node-types?limit=5'
API reference: ${client.baseUrl}/docs`);
}

async function logFile(): Promise<NodeJS.WritableStream> {
  const { createWriteStream } = await import("node:fs");
  return createWriteStream(join(OUT, "service.log"));
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

try {
  await main();
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  console.error(`The service's log is ${relative(process.cwd(), join(OUT, "service.log"))}.`);
  process.exit(1);
}
