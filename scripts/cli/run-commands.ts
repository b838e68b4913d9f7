/** Commands for runs that make several requests: submit, watch, events, ZIP. */
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Execution } from "../../src/contracts/runs/run.ts";
import type { ZipStatus } from "../../src/contracts/runs/zip-export.ts";
import { ProgressBar } from "../progress-bar.ts";
import { type Flags, listOf, required, textOf, UsageError } from "./arguments.ts";
import type { Given } from "./command.ts";
import { readJsonFile } from "./read-json-file.ts";
import type { Session } from "./session.ts";

const TERMINAL: ReadonlySet<Execution["status"]> = new Set([
  "completed",
  "partial_success",
  "failed",
  "cancelled",
]);
const POLL_MIN_MS = 250;
const POLL_MAX_MS = 3000;

/** Flags that `submitBody` reads, but for `--reference`. */
export const INPUT_FLAGS = {
  input: { type: "string", multiple: true, value: "KEY=TEXT" },
  value: { type: "string", multiple: true, value: "KEY=JSON" },
  asset: { type: "string", multiple: true, value: "KEY=PATH" },
  body: { type: "string", value: "FILE" },
  version: { type: "string", value: "N" },
  interface: { type: "string", value: "ID" },
  "max-iterations": { type: "string", value: "N" },
  cache: { type: "string", value: "MODE" },
  "max-age": { type: "string", value: "SECONDS" },
  "max-milli-credits": { type: "string", value: "N" },
} as const;

export async function submitRun(session: Session, { args, flags }: Given): Promise<unknown> {
  const key = textOf(flags, "idempotency-key");
  const run = await session.call<Execution>("POST", "/api/v1/executions", {
    json: await submitBody(args[0], flags),
    ...(key !== undefined && { headers: { "idempotency-key": key } }),
  });
  return flags["watch"] === true ? watch(session, run.id) : run;
}

/** Without flags, what failed runs again under the same definition with the same inputs. */
export async function retryRun(session: Session, { args, flags }: Given): Promise<unknown> {
  const id = required(args[0], "ID");
  const key = textOf(flags, "idempotency-key");
  const node = textOf(flags, "from-node");
  const indices = listOf(flags, "from-index").map((text) => text.split(",").map(Number));
  const version = textOf(flags, "version");
  const reference = textOf(flags, "reference");
  const bounds = boundsIn(flags);
  const inputs: Record<string, unknown> = {
    ...inputsIn(flags),
    ...Object.fromEntries(listOf(flags, "without").map((name) => [name, null])),
  };
  const run = await session.call<Execution>(
    "POST",
    `/api/v1/executions/${encodeURIComponent(id)}/retry`,
    {
      json: {
        ...(flags["from-start"] === true && { from: "start" }),
        ...(node !== undefined && { from_node: node }),
        ...(indices.length > 0 && { from_indices: indices }),
        ...(version !== undefined && {
          version: /^\d+$/.test(version) ? Number(version) : version,
        }),
        ...(Object.keys(inputs).length > 0 && { inputs }),
        ...(bounds !== undefined && { admission_limits: bounds }),
        ...cacheIn(flags),
        ...(reference !== undefined && { client_reference: reference }),
      },
      ...(key !== undefined && { headers: { "idempotency-key": key } }),
    },
  );
  return flags["watch"] === true ? watch(session, run.id) : run;
}

export async function estimateRun(session: Session, { args, flags }: Given): Promise<unknown> {
  const { workflow, ...json } = await submitBody(args[0], flags);
  return session.call("POST", `/api/v1/workflows/${encodeURIComponent(workflow)}/estimate`, {
    json,
  });
}

/** Returns the body of a submit: that of the file `--body`, changed by the other flags. */
export async function submitBody(
  given: string | undefined,
  flags: Flags,
): Promise<{ workflow: string; [field: string]: unknown }> {
  const file = textOf(flags, "body");
  const whole = (file === undefined ? {} : await readJsonFile(file)) as Record<string, unknown>;
  const named = whole["workflow"];
  const workflow = required(given ?? (typeof named === "string" ? named : undefined), "WORKFLOW");
  const inputs = { ...(whole["inputs"] as object | undefined), ...inputsIn(flags) };
  const version = textOf(flags, "version");
  const chosen = textOf(flags, "interface");
  const reference = textOf(flags, "reference");
  const bounds = boundsIn(flags);
  return {
    ...whole,
    workflow,
    inputs,
    ...(version !== undefined && { version: Number(version) }),
    ...(chosen !== undefined && { interface: chosen }),
    ...(reference !== undefined && { client_reference: reference }),
    ...(bounds !== undefined && { admission_limits: bounds }),
    ...cacheIn(flags),
  };
}

/** The entries of inputs that flags give. */
function inputsIn(flags: Flags): Record<string, unknown> {
  const inputs: Record<string, unknown> = {};
  // A value is JSON, carried as a string (docs/contract/executions.md#inputs).
  for (const [key, text] of pairsOf(flags, "input")) {
    inputs[key] = { value: JSON.stringify(text) };
  }
  for (const [key, json] of pairsOf(flags, "value")) {
    inputs[key] = { value: json };
  }
  for (const [key, path] of pairsOf(flags, "asset")) {
    inputs[key] = { asset_path: path };
  }
  return inputs;
}

/** The member `cache`, if a flag names a mode. */
function cacheIn(flags: Flags) {
  const mode = textOf(flags, "cache");
  const age = numberOf(flags, "max-age");
  return mode === undefined ? {} : { cache: { mode, ...(age !== undefined && { max_age: age }) } };
}

/** Undefined if no flag sets a bound. */
function boundsIn(flags: Flags) {
  const bounds = {
    max_iterations_per_node: numberOf(flags, "max-iterations"),
    max_admitted_milli_credits: numberOf(flags, "max-milli-credits"),
  };
  return Object.values(bounds).some((bound) => bound !== undefined) ? bounds : undefined;
}

function numberOf(flags: Flags, name: string): number | undefined {
  const text = textOf(flags, name);
  return text === undefined ? undefined : Number(text);
}

export function pairsOf(flags: Flags, name: string): [string, string][] {
  return listOf(flags, name).map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) {
      throw new UsageError(`--${name}: "${pair}" is not KEY=VALUE.`);
    }
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
}

export async function watchRun(session: Session, { args }: Given): Promise<unknown> {
  return watch(session, required(args[0], "ID"));
}

/** Shows a run until it ends: a progress bar on a terminal, otherwise a line for each change. */
async function watch(session: Session, id: string): Promise<Execution> {
  const bar = process.stderr.isTTY ? new ProgressBar(process.stderr) : undefined;
  let shown = "";
  for (let waitMs = POLL_MIN_MS; ; waitMs = Math.min(waitMs * 1.5, POLL_MAX_MS)) {
    const run = await session.call<Execution>(
      "GET",
      `/api/v1/executions/${encodeURIComponent(id)}`,
    );
    const line = `${run.status} ${run.progress} % ${run.progress_message}`.trimEnd();
    bar?.show(run.progress, run.progress_message);
    if (bar === undefined && line !== shown) {
      console.error(line);
      shown = line;
    }
    if (TERMINAL.has(run.status)) {
      bar?.end();
      process.exitCode = run.status === "completed" ? 0 : 1;
      return run;
    }
    await sleep(waitMs);
  }
}

/** Prints events as they arrive: `event`, id and data. With `--json`, one JSON object per line. */
export function streamEvents(session: Session, given: Given): Promise<undefined> {
  return printEvents(session, "/api/v1/executions", given);
}

/** Prints the events of a run or a batch, below the path of its kind. */
export async function printEvents(
  session: Session,
  path: string,
  { args, flags }: Given,
): Promise<undefined> {
  const id = encodeURIComponent(required(args[0], "ID"));
  const after = textOf(flags, "after");
  const response = await session.send("GET", `${path}/${id}/events`, {
    headers: {
      accept: "text/event-stream",
      ...(after !== undefined && { "last-event-id": after }),
    },
  });
  for await (const { event, eventId, data } of eventsIn(response)) {
    console.log(
      flags["json"] === true
        ? JSON.stringify({ event, id: eventId, data: JSON.parse(data) as unknown })
        : `${event.padEnd(8)} ${eventId.padEnd(10)} ${data}`,
    );
    if (event === "done") {
      return;
    }
  }
}

async function* eventsIn(response: Response) {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const valueOf = (name: string) =>
        lines
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).trimStart())
          .join("\n");
      // A comment only keeps the connection open.
      if (valueOf("data") !== "") {
        yield { event: valueOf("event"), eventId: valueOf("id"), data: valueOf("data") };
      }
    }
  }
}

/** Exports a run's outputs, waits, and saves the archives in a folder. */
export async function exportZip(session: Session, { args, flags }: Given): Promise<unknown> {
  const run = `/api/v1/executions/${encodeURIComponent(required(args[0], "ID"))}`;
  const folder = textOf(flags, "output") ?? ".";
  const bar = process.stderr.isTTY ? new ProgressBar(process.stderr) : undefined;
  let status = await session.call<ZipStatus>("POST", `${run}/zip`);
  for (
    let waitMs = POLL_MIN_MS;
    status.status === "building";
    waitMs = Math.min(waitMs * 1.5, POLL_MAX_MS)
  ) {
    bar?.show(status.progress_percent, "building the archive");
    await sleep(waitMs);
    status = await session.call<ZipStatus>("GET", `${run}/zip/status`);
  }
  bar?.end();
  if (status.status !== "completed") {
    throw new Error(`The export ended with status ${status.status}.`);
  }
  const files = [];
  for (const zip of status.zips) {
    const path = `${run}/zip/${zip.zip_id}/download`;
    const file = await saveFile(session, path, folder, zip.download_file_name);
    files.push({ file, size_bytes: zip.size_bytes, file_count: zip.file_count });
  }
  return { data: files };
}

/** Downloads a file into a folder, which is made if it is missing. Returns its path. */
export async function saveFile(
  session: Session,
  path: string,
  folder: string,
  name: string,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const response = await session.send("GET", path);
  const file = join(folder, basename(name));
  if (response.body !== null) {
    await pipeline(Readable.fromWeb(response.body as never), createWriteStream(file));
  }
  return file;
}
