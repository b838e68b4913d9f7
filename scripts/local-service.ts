/** The whole service in the local workerd (docs/contract/local-service.md#start); used by `dev` and `demo`. */
import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Miniflare, Response as MiniflareResponse } from "miniflare";
import { applyMigrations, listMigrations } from "./apply-migrations.ts";
import type { Credentials } from "./api-client.ts";
import { claimFolder } from "./claim-folder.ts";
import { buildAssets } from "./build-assets.ts";
import { keepReserve } from "./disk-reserve.ts";
import {
  countShards,
  keepShards,
  type LocalShards,
  shardBindings,
  withShards,
} from "./local-shards.ts";
import { resolveName } from "./resolve-name.ts";
import { checkPort } from "./check-port.ts";
import { checkDatabase } from "./check-database.ts";
import { loadSecrets, readJsonFile, readTextMembers, writePrivateJson } from "./local-secrets.ts";
import { loadMiniflare } from "./load-miniflare.ts";
import { loadWorkers } from "./load-workers.ts";

const MIGRATIONS_DIR = fileURLToPath(new URL("../src/storage/migrations", import.meta.url));

export interface LocalServiceOptions {
  readonly port: number;
  /** Data folder; created if it does not exist. */
  readonly directory: string;
  /** Receives the log lines of the Workers. */
  readonly logTo: NodeJS.WritableStream;
  /** Port of the workerd inspector, for benchmarks. */
  readonly inspectorPort?: number;
  /** False starts the API Worker alone, so that tasks wait. */
  readonly hasRunner?: boolean;
  /**
   * Number of databases, from 1 to 16. A folder keeps its number and may get more. By default it is that of
   * `EDGELOOM_SHARDS`, or the folder's own, or 1.
   */
  readonly shards?: number | string;
  /** Other builds of the Workers, for tests of deploys. */
  readonly loadWorkers?: typeof loadWorkers;
}

export interface LocalService {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  stop(): Promise<void>;
}

/**
 * Starts all Workers with durable state in a folder, applies migrations, provisions on the first start, and resolves
 * when requests are served. Throws if the port or the folder is in use, or a Worker does not start.
 */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  const directory = resolve(options.directory);
  await checkPort(options.port);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const release = await claimFolder(directory);
  try {
    return await startClaimed(options, directory, release);
  } catch (error) {
    await release();
    throw error;
  }
}

async function startClaimed(
  options: LocalServiceOptions,
  directory: string,
  release: () => Promise<void>,
): Promise<LocalService> {
  const baseUrl = `http://127.0.0.1:${options.port}`;
  const shards = await countShards(directory, options.shards ?? process.env["EDGELOOM_SHARDS"]);
  const [secrets, hasDatabase, known] = await Promise.all([
    loadSecrets(directory),
    checkDatabase(directory, shards.kept),
    readCredentials(directory),
  ]);
  const reserve = await keepReserve(directory, (line) => options.logTo.write(`${line}\n`));
  const vars = {
    ENVIRONMENT: "local",
    BASE_URL: baseUrl,
    BOOT_ID: randomUUID(),
    JWT_SECRET: secrets.jwt_secret,
    ADMIN_TOKEN: secrets.admin_token,
    PROVIDER_KEYS_SECRET: secrets.provider_keys_secret,
    ...loopbackVars(),
    ...givenVars(),
  };
  await refuseProviders(vars);
  const loading = Promise.all([(options.loadWorkers ?? loadWorkers)(vars), buildAssets()]);
  // A promise that is awaited only below must not end the process by an unhandled rejection before.
  loading.catch(() => undefined);
  // Loading blocks this thread; the files above are read in parallel.
  const { Miniflare, Log, LogLevel } = loadMiniflare();
  const [workers] = await loading;
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    // Miniflare's own entry, which is not used: the service's address is the one of `unsafeDirectSockets`.
    port: 0,
    // Otherwise `cf` would fetch a sample of Cloudflare's request properties from the network.
    cf: false,
    logRequests: false,
    log: new Log(LogLevel.WARN),
    ...(options.inspectorPort === undefined ? {} : { inspectorPort: options.inspectorPort }),
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
      stdout.pipe(options.logTo, { end: false });
      stderr.pipe(options.logTo, { end: false });
    },
    d1Persist: join(directory, "d1"),
    r2Persist: join(directory, "r2"),
    durableObjectsPersist: join(directory, "objects"),
    workers: (options.hasRunner === false ? workers.slice(0, 1) : workers).map(
      ({ config, modules }, index) => ({
        ...config.options,
        d1Databases: withShards(config.options["d1Databases"], shards.count),
        // workerd passes requests directly to the API Worker, as Cloudflare does; Miniflare's proxy Worker would take
        // 22 KB for each open stream (docs/decisions/event-stream-memory.md).
        ...(index === 0 && {
          unsafeDirectSockets: [{ host: "127.0.0.1", port: options.port }],
        }),
        serviceBindings: {
          ...config.options["serviceBindings"],
          RESOLVER: answerDns,
          ...(index === 0 && { RESERVE: { disk: { path: reserve.folder, writable: false } } }),
          ...(options.hasRunner === false && {
            FILE_TYPES: absent,
            FONT_CHECKER: absent,
            RENDERER: absent,
            MODEL_PROVIDERS: absent,
            THUMBNAILS: absent,
            ORGANIZATION_MOVES: absent,
            RESULT_CACHE: absent,
            BATCH_EXPORTS: absent,
            ZIP_BUILDERS: absent,
          }),
        },
        modules,
        outboundService: {
          network: { allow: allowedNetworks(), tlsOptions: { trustBrowserCas: true } },
        },
      }),
    ),
  });
  try {
    await miniflare.ready;
    await migrate(miniflare, directory, hasDatabase, shards);
    const credentials = await ensureCredentials({
      miniflare,
      directory,
      baseUrl,
      adminToken: secrets.admin_token,
      // Credentials of a database that no longer exists are useless.
      known: hasDatabase ? known : undefined,
      hasDatabase,
    });
    return {
      baseUrl,
      credentials,
      async stop() {
        reserve.stop();
        await miniflare.dispose();
        await release();
      },
    };
  } catch (error) {
    await miniflare.dispose();
    throw error;
  }
}

/** The resolver that the egress guard calls before a connection is allowed. */
async function answerDns(request: { readonly url: string }): Promise<MiniflareResponse> {
  const { Response } = loadMiniflare();
  const name = new URL(request.url).searchParams.get("name") ?? "";
  return Response.json(await resolveName(name));
}

/** Replaces a Worker that was left out; calls to it fail. */
function absent(): never {
  throw new Error("This Worker was left out.");
}

/** Settings of a deployment that are taken from the environment (docs/deploy.md). */
function givenVars(): Record<string, string> {
  const names = [
    "AI_PROVIDERS",
    "EFFECT_LOG",
    "FILE_ACCESS",
    "PRESIGNED_UPLOADS",
    "SAMPLE_PROVIDER",
  ];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
}

/** Throws for an `AI_PROVIDERS` with which the Workers would not serve. No message contains a value. */
async function refuseProviders(vars: {
  readonly ENVIRONMENT: string;
  readonly AI_PROVIDERS?: string;
}): Promise<void> {
  if (vars.AI_PROVIDERS === undefined) {
    return;
  }
  const { environmentProblems } = await import("../src/platform/environment-providers.ts");
  const problems = environmentProblems(vars);
  if (problems.length > 0) {
    const lines = problems.map(({ member, rule }) => `${member}: ${rule}`);
    throw new Error(`The variable AI_PROVIDERS cannot be used.\n${lines.join("\n")}`);
  }
}

/** Loopback hosts that tests use; the egress guards also check their ports. */
function loopbackVars(): Record<string, string> {
  return Object.fromEntries(
    ["EGRESS_ALLOW_LOOPBACK", "PROVIDERS_ALLOW_LOOPBACK"].flatMap((name) => {
      const named = process.env[name];
      return named === undefined || named === "" ? [] : [[name, named]];
    }),
  );
}

/** In addition to the guards in code: the sandbox itself connects to public addresses only. */
function allowedNetworks(): string[] {
  return Object.keys(loopbackVars()).length === 0
    ? ["public"]
    : ["public", "127.0.0.0/8", "::1/128"];
}

/** A note of the applied migrations spares later starts a query; the table in the database is authoritative. */
async function migrate(
  miniflare: Miniflare,
  directory: string,
  hasDatabase: boolean,
  shards: LocalShards,
): Promise<void> {
  const notePath = join(directory, "migrations.json");
  const [names, note] = await Promise.all([
    listMigrations(MIGRATIONS_DIR),
    // An unreadable note is replaced by a query.
    readJsonFile<readonly string[]>(notePath).catch(() => undefined),
  ]);
  if (hasDatabase && !shards.hasGrown && JSON.stringify(note) === JSON.stringify(names)) {
    return;
  }
  for (const binding of shardBindings(shards.count)) {
    await applyMigrations(await miniflare.getD1Database(binding, "edgeloom"), MIGRATIONS_DIR);
  }
  await keepShards(directory, shards);
  await writePrivateJson(notePath, names);
}

const CREDENTIALS = "credentials.json";

/** Returns undefined if there are none. Throws if the file is damaged. */
async function readCredentials(directory: string): Promise<Credentials | undefined> {
  return await readTextMembers<Credentials>(
    join(directory, CREDENTIALS),
    ["base_url", "org_id", "workspace_id", "client_id", "client_secret", "admin_token"],
    "Restore it, or delete it: the next start creates a new key for the existing organization.",
  );
}

async function ensureCredentials(folder: {
  readonly miniflare: Miniflare;
  readonly directory: string;
  readonly baseUrl: string;
  readonly adminToken: string;
  readonly known: Credentials | undefined;
  readonly hasDatabase: boolean;
}): Promise<Credentials> {
  const { directory, baseUrl, adminToken, known } = folder;
  const path = join(directory, CREDENTIALS);
  if (known?.base_url === baseUrl && known.admin_token === adminToken) {
    return known;
  }
  if (known !== undefined) {
    // The same data on another port, or with new secrets.
    const moved = { ...known, base_url: baseUrl, app_url: baseUrl, admin_token: adminToken };
    await writePrivateJson(path, moved);
    return moved;
  }
  const { provision } = await import("./provision.ts");
  const there = folder.hasDatabase ? await findAccount(folder.miniflare) : undefined;
  const made = await provision(baseUrl, adminToken, there);
  await writePrivateJson(path, made);
  if (there?.organization !== undefined) {
    console.log(
      `${path} was missing. It now contains a new key for ${made.workspace_id} of ${made.org_id}.`,
    );
  }
  return made;
}

/** The organization and workspace of the first start, as far as they were created. */
async function findAccount(
  miniflare: Miniflare,
): Promise<{ organization: string | undefined; workspace: string | undefined }> {
  const database = await miniflare.getD1Database("DB", "edgeloom");
  const organization = await database
    .prepare("SELECT id FROM organizations ORDER BY created_at_ms, id LIMIT 1")
    .first<string>("id");
  const workspace = await database
    .prepare(
      "SELECT id FROM workspaces WHERE organization_id = ? ORDER BY created_at_ms, id LIMIT 1",
    )
    .bind(organization)
    .first<string>("id");
  return { organization: organization ?? undefined, workspace: workspace ?? undefined };
}
