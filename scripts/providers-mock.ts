/** `npm run providers:mock -- --port N`: serves the scripted servers of all providers on ports N to N + 3 until Ctrl-C. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startMocks } from "../test/support/providers/mock-servers.ts";

const PORT = 8_900;

const { values } = parseArgs({ options: { port: { type: "string" } } });
const port = Number(values.port ?? PORT);
if (!Number.isInteger(port) || port < 1_024 || port > 65_532) {
  console.error("--port must be a whole number from 1024 to 65532.");
  process.exit(2);
}
const picture = await readFile(
  fileURLToPath(new URL("../docs/pictures/flyer.png", import.meta.url)),
);
const { baseUrls } = await startMocks(port, picture);
const hosts = Object.values(baseUrls).map((url) => new URL(url).host);
console.log(`Start the service with PROVIDERS_ALLOW_LOOPBACK=${hosts.join(",")}, and add:`);
for (const [kind, url] of Object.entries(baseUrls)) {
  const more = kind === "openai_compatible" ? { catalog: "openai" } : {};
  console.log(JSON.stringify({ kind, base_url: url, api_key: "any", ...more }));
}
