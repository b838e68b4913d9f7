/** `npm run demo:embed`: starts the service, and a page on another port that embeds a workflow and the editor. */
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ApiClient } from "./api-client.ts";
import { startEmbedHost } from "./embed-host.ts";
import { freePort } from "./free-port.ts";
import { startLocalService } from "./local-service.ts";
import { onStopSignal } from "./on-stop-signal.ts";

const DIRECTORY = "demo-output/embeds";
const WORKFLOW = "Greeting card";
const USAGE = `Usage: npm run demo:embed -- [--port N] [--host-port N]
  --port N       port of the service (default: a free port)
  --host-port N  port of the page that embeds (default: a free port)`;

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: "string" },
      "host-port": { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  await mkdir(DIRECTORY, { recursive: true });
  const service = await startLocalService({
    port: await portOf("--port", values.port),
    directory: DIRECTORY,
    logTo: createWriteStream(join(DIRECTORY, "service.log"), { flags: "a" }),
  });
  try {
    const client = new ApiClient(service.credentials);
    const host = await startEmbedHost({
      client,
      workflowId: await workflowId(client),
      port: await portOf("--host-port", values["host-port"]),
    });
    onStopSignal(async () => {
      await host.stop();
      await service.stop();
    });
    console.log(`The service is ready on ${service.baseUrl}.
Open ${host.origin}/ : a page of another origin, with a workflow, the editor and the messages of both.
The service's log is ${join(DIRECTORY, "service.log")}. Ctrl-C stops both.`);
  } catch (error) {
    await service.stop();
    throw error;
  }
}

async function workflowId(client: ApiClient): Promise<string> {
  const { data } = await client.call<{ data: readonly { id: string; name: string }[] }>(
    "GET",
    "/api/v1/workflows?status=published&limit=100",
  );
  const found = data.find(({ name }) => name === WORKFLOW);
  if (found === undefined) {
    throw new Error(
      `The sample "${WORKFLOW}" is not published in ${DIRECTORY}. Delete the folder to start again.`,
    );
  }
  return found.id;
}

async function portOf(flag: string, text: string | undefined): Promise<number> {
  if (text === undefined) {
    return freePort();
  }
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`${flag} is "${text}"; must be a whole number from 1 to 65535.`);
  }
  return port;
}
