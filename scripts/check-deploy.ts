/** Builds both Workers as a deployment would, without deploying, and holds the API Worker to its budget. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** So that the API starts quickly at any edge. */
const API_GZIP_BYTES_MAX = 600_000;
/** The plan that the runner needs takes 10 MB compressed; wasm is most of it. */
const RUNNER_GZIP_BYTES_MAX = 3_000_000;

const api = await deployDryRun("wrangler.toml");
const runner = await deployDryRun("queues/wrangler.toml");
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

async function deployDryRun(config: string): Promise<{ gzipBytes: number; wasm: string[] }> {
  const outdir = await mkdtemp(join(tmpdir(), "edgeloom-deploy-"));
  try {
    const args = [
      join(ROOT, "node_modules/wrangler/bin/wrangler.js"),
      "deploy",
      "--dry-run",
      "--config",
      config,
      "--outdir",
      outdir,
    ];
    await run(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" },
      maxBuffer: 64 * 1024 * 1024,
    });
    const modules = (await readdir(outdir)).filter((name) => /\.(js|mjs|wasm|bin)$/.test(name));
    if (!modules.some((name) => /\.m?js$/.test(name))) {
      throw new Error(`wrangler built no JavaScript from ${config}.`);
    }
    let gzipBytes = 0;
    for (const name of modules) {
      gzipBytes += gzipSync(await readFile(join(outdir, name))).length;
    }
    return { gzipBytes, wasm: modules.filter((name) => name.endsWith(".wasm")) };
  } finally {
    await rm(outdir, { recursive: true, force: true });
  }
}

function overBudget(name: string, bytes: number, max: number): string[] {
  return bytes > max
    ? [`The ${name} is ${kilobytes(bytes)} gzip, above its budget of ${kilobytes(max)}.`]
    : [];
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`;
}
