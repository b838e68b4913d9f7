/** Each limit of production that the local runtime does not enforce, exceeded on purpose on real bindings. */
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleWorker } from "../../scripts/bundle-worker.ts";

let miniflare: Miniflare;

beforeAll(async () => {
  const entry = fileURLToPath(new URL("../support/limits/limits-worker.ts", import.meta.url));
  miniflare = new Miniflare({
    cf: false,
    modules: await bundleWorker(entry),
    compatibilityDate: "2026-07-01",
    durableObjects: { OBJECT: { className: "EchoObject", useSQLite: true } },
    queueProducers: { QUEUE: "limits" },
    queueConsumers: ["limits"],
    r2Buckets: ["FILES"],
    d1Databases: ["DB"],
  });
  await miniflare.ready;
});

afterAll(() => miniflare.dispose());

async function attempt(
  deed: string,
): Promise<{ value?: unknown; error?: string; message?: string }> {
  const response = await miniflare.dispatchFetch(`http://limits/${deed}`);
  return (await response.json()) as { value?: unknown; error?: string; message?: string };
}

test.each([
  ["subrequestsToObjects", "OBJECT.echo"],
  ["subrequestsToFiles", "FILES.head"],
  ["subrequestsToDatabase", "DB.first"],
])("%s over the limit throw an error with a remedy", async (deed, call) => {
  const { error, message } = await attempt(deed);
  expect(error).toBe("PlatformLimitError");
  expect(message).toMatch(`${call} is subrequest 10001 of one invocation`);
});

test.each([
  ["connectionsToFiles", "FILES.head"],
  ["connectionsToBoth", "QUEUE.send"],
])("%s beyond six at once throw an error with a remedy", async (deed, call) => {
  const { error, message } = await attempt(deed);
  expect(error).toBe("PlatformLimitError");
  expect(message).toMatch(`${call} would be connection 7 that one invocation has open at once`);
});

test.each([
  ["connectionsFit", "done"],
  ["connectionsFailing", "done"],
  ["rpcFits", 1_000],
  ["messageFits", null],
  ["subrequestsFit", "done"],
  ["database", [[{ a: 1 }], [{ a: 2 }], 3]],
  ["files", "text"],
  ["sqlFits", "done"],
])("%s within the limits works as without them", async (deed, value) => {
  expect(await attempt(deed)).toEqual({ value });
});

// The local runtime enforces these; limits.ts must enforce all others.
test.each([
  ["rpcArguments", /32 ?MiB/],
  ["rpcResponse", /32 ?MiB/],
  ["message", /15000/],
  ["messageInBatch", /15000/],
  ["batchCount", /15000/],
  ["batchBytes", /15000/],
  ["sqlParameters", /too many/],
  ["sqlRow", /too big/],
])("%s over the limit is refused by the runtime itself", async (deed, words) => {
  const { value, message } = await attempt(deed);
  expect(message ?? value).toMatch(words);
});
