/**
 * Builds the Workers as a deployment would, and checks their budgets of size and start-up time, and that all have the same
 * databases.
 */
import { checkDatabases } from "./check-databases.ts";
import { measureDeploy } from "./measure-deploy.ts";

/** Keeps the start of the API Worker fast at every edge location. */
const API_GZIP_BYTES_MAX = 600_000;
/** The platform's size limit for a Worker on the smallest plan. */
const RUNNER_GZIP_BYTES_MAX = 3_000_000;
/** PDFium alone has 2 MB. The size limit of the paid plan, which the deployment needs, is 10 MB. */
const RENDERER_GZIP_BYTES_MAX = 4_000_000;
/** Codecs of sound and pictures. */
const MEDIA_GZIP_BYTES_MAX = 3_000_000;
/** The platform refuses a Worker whose top level takes more processor time. */
const START_MS_MAX = 1_000;
const CONFIGS = {
  api: "wrangler.toml",
  runner: "queues/wrangler.toml",
  renderer: "src/workers/renderer/wrangler.toml",
  media: "src/workers/media/wrangler.toml",
};

const api = await measureDeploy(CONFIGS.api, { withStart: true });
const runner = await measureDeploy(CONFIGS.runner, { withStart: true });
const renderer = await measureDeploy(CONFIGS.renderer, { withStart: true });
const media = await measureDeploy(CONFIGS.media, { withStart: true });
// Placeholders in a first deployment; they only have to build.
await measureDeploy("src/workers/first-runner/wrangler.toml");
await measureDeploy("src/workers/first-renderer/wrangler.toml");
const problems = [
  ...(await checkDatabases(Object.values(CONFIGS))),
  ...(api.wasm.length > 0 ? [`The API Worker contains wasm: ${api.wasm.join(", ")}.`] : []),
  ...overBudget("API Worker", api.gzipBytes, API_GZIP_BYTES_MAX),
  ...overBudget("runner", runner.gzipBytes, RUNNER_GZIP_BYTES_MAX),
  ...overBudget("renderer", renderer.gzipBytes, RENDERER_GZIP_BYTES_MAX),
  ...overBudget("media Worker", media.gzipBytes, MEDIA_GZIP_BYTES_MAX),
  ...slowStart("API Worker", api.startMs),
  ...slowStart("runner", runner.startMs),
  ...slowStart("renderer", renderer.startMs),
  ...slowStart("media Worker", media.startMs),
];
console.log(
  `deploy: API Worker ${kilobytes(api.gzipBytes)} gzip of at most ${kilobytes(API_GZIP_BYTES_MAX)}, ` +
    `runner ${kilobytes(runner.gzipBytes)} of at most ${kilobytes(RUNNER_GZIP_BYTES_MAX)}, ` +
    `renderer ${kilobytes(renderer.gzipBytes)} of at most ${kilobytes(RENDERER_GZIP_BYTES_MAX)}, ` +
    `media Worker ${kilobytes(media.gzipBytes)} of at most ${kilobytes(MEDIA_GZIP_BYTES_MAX)}`,
);
console.log(
  `start-up, processor time beyond an empty Worker, of at most ${START_MS_MAX} ms: ` +
    [api, runner, renderer, media]
      .map(({ startMs }) => (startMs === undefined ? "not measurable here" : `${startMs} ms`))
      .join(", "),
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

function slowStart(name: string, startMs: number | undefined): string[] {
  return startMs !== undefined && startMs > START_MS_MAX
    ? [`The ${name} takes ${startMs} ms to start, and the platform allows ${START_MS_MAX} ms.`]
    : [];
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`;
}
