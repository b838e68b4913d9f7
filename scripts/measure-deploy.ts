import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { measureStart } from "./measure-start.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("..", import.meta.url));

export interface DeployedWorker {
  /** Sum over the modules, each compressed separately. */
  readonly gzipBytes: number;
  /** Names of its wasm modules. */
  readonly wasm: readonly string[];
  /** Of processor time, beyond an empty Worker; undefined if not asked for, or where it cannot be measured. */
  readonly startMs: number | undefined;
}

/**
 * Builds a Worker as a deployment would, without deploying it. `config` is below the project's root. Throws if the
 * build fails.
 */
export async function measureDeploy(
  config: string,
  { withStart = false }: { readonly withStart?: boolean } = {},
): Promise<DeployedWorker> {
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
    return {
      gzipBytes,
      wasm: modules.filter((name) => name.endsWith(".wasm")),
      startMs: withStart ? await measureStart(outdir) : undefined,
    };
  } finally {
    await rm(outdir, { recursive: true, force: true });
  }
}
