/** Builds the Workers as a deployment would, and holds them to their budgets. */
import { measureDeploy } from "./measure-deploy.ts";

/** So that the API starts quickly at any edge. */
const API_GZIP_BYTES_MAX = 600_000;
/** The smallest size that a plan of the platform allows for a Worker. */
const RUNNER_GZIP_BYTES_MAX = 3_000_000;

const api = await measureDeploy("wrangler.toml");
const runner = await measureDeploy("queues/wrangler.toml");
// Holds the runner's place in a first deployment; that it builds is all there is to check.
await measureDeploy("src/workers/first-runner/wrangler.toml");
const problems = [
  ...(api.wasm.length > 0 ? [`The API Worker carries wasm: ${api.wasm.join(", ")}.`] : []),
  ...overBudget("API Worker", api.gzipBytes, API_GZIP_BYTES_MAX),
  ...overBudget("runner", runner.gzipBytes, RUNNER_GZIP_BYTES_MAX),
];
console.log(
  `deploy: API Worker ${kilobytes(api.gzipBytes)} gzip of at most ${kilobytes(API_GZIP_BYTES_MAX)}, ` +
    `runner ${kilobytes(runner.gzipBytes)} of at most ${kilobytes(RUNNER_GZIP_BYTES_MAX)}`,
);
for (const problem of problems) {
  console.error(problem);
}
process.exit(problems.length === 0 ? 0 : 1);

function overBudget(name: string, bytes: number, max: number): string[] {
  return bytes > max
    ? [`The ${name} is ${kilobytes(bytes)} gzip, above its budget of ${kilobytes(max)}.`]
    : [];
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`;
}
