/** Every call into an object or a Worker's entry point is parsed before the method does anything. */
import { createExecutionContext, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { DurableObject, env, WorkerEntrypoint } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  entriesOf,
  parseEntries,
  type RefusedCallError,
} from "../../../durable-objects/shared/entries.ts";
import { object, text, version } from "../../../src/lib/json/shape.ts";
import * as api from "../../../src/worker.ts";
import * as media from "../../../src/workers/media/sound-decoder.ts";
import * as renderer from "../../../src/workers/renderer/render-entry.ts";
import * as runner from "../../../src/workers/runner/runner.ts";
import batch from "../../golden/databases/batch-1.sql?raw";
import batchExport from "../../golden/databases/batch-export-1.sql?raw";
import cache from "../../golden/databases/cache-1.sql?raw";
import organizationAccess from "../../golden/databases/organization-access-1.sql?raw";
import rateLimiter from "../../golden/databases/rate-limiter-1.sql?raw";
import liveRun from "../../golden/databases/run-1-live.sql?raw";
import runGroup from "../../golden/databases/run-group-1.sql?raw";
import schedule from "../../golden/databases/schedule-1.sql?raw";
import templateDraft from "../../golden/databases/template-draft-1.sql?raw";
import upload from "../../golden/databases/upload-1.sql?raw";
import webhookEndpoint from "../../golden/databases/webhook-endpoint-1.sql?raw";
import workspace from "../../golden/databases/workspace-1.sql?raw";
import zipExport from "../../golden/databases/zip-export-1.sql?raw";

type Class = new (ctx: unknown, env: unknown) => Record<string, (...args: unknown[]) => unknown>;

/** Methods whose arguments are ids, a page or a pointer, which mean the same in every version. */
const UNVERSIONED: Readonly<Record<string, readonly string[]>> = {
  WorkspaceObject: [
    "recall",
    "recallBatch",
    "listBatches",
    "listRuns",
    "getRun",
    "setWorkflowPointer",
    "getWorkflowPointer",
    "removeWorkflow",
    "countLiveRuns",
    "balance",
    "listLedger",
  ],
  WebhookEndpointObject: ["read", "testOutcome", "readDelivery"],
  // Its argument is a list, whose items have versions.
  ExecutorObject: ["accept"],
};

/** The databases of the objects while they are called. */
const DATABASES: Readonly<Record<string, string>> = {
  BatchExportObject: batchExport,
  BatchObject: batch,
  CacheObject: cache,
  OrganizationAccessObject: organizationAccess,
  RateLimiterObject: rateLimiter,
  RunGroupObject: runGroup,
  RunObject: liveRun,
  ScheduleObject: schedule,
  TemplateDraftObject: templateDraft,
  UploadObject: upload,
  WebhookEndpointObject: webhookEndpoint,
  WorkspaceObject: workspace,
  ZipExportObject: zipExport,
};

/** Values that no method accepts. */
const GARBAGE = [Number.NaN, {}, { v: "1" }, { v: null }, [null], () => 1];

function classesOf(module: object): [string, Class][] {
  return Object.entries(module).filter(
    (entry): entry is [string, Class] =>
      typeof entry[1] === "function" &&
      (entry[1].prototype instanceof DurableObject ||
        entry[1].prototype instanceof WorkerEntrypoint),
  );
}

/** The prototypes of a class that this repository defines. */
function prototypesOf({ prototype }: Class): object[] {
  const own: object[] = [];
  for (
    let at: object | null = prototype;
    at !== null && at !== DurableObject.prototype && at !== WorkerEntrypoint.prototype;
    at = Object.getPrototypeOf(at) as object | null
  ) {
    own.push(at);
  }
  return own;
}

/** The members that the platform lets others call: every method and getter except the constructor. */
function methodsOf(subject: Class): string[] {
  const names = prototypesOf(subject).flatMap((prototype) => Object.getOwnPropertyNames(prototype));
  return [...new Set(names)].filter((name) => name !== "constructor");
}

function undeclaredOf(subject: Class): string[] {
  const declared = new Set(prototypesOf(subject).flatMap((prototype) => [...entriesOf(prototype)]));
  return methodsOf(subject).filter((name) => !declared.has(name));
}

/** The renderer's executor objects are of the runner's class. */
const CLASSES = [
  ...classesOf(api),
  ...classesOf(runner),
  ...classesOf(renderer),
  ...classesOf(media),
];

/** Everything that an object keeps. */
async function kept(storage: DurableObjectStorage): Promise<unknown> {
  const { sql } = storage;
  const tables = sql
    .exec<{ name: string; sql: string }>("SELECT name, sql FROM sqlite_master ORDER BY name")
    .toArray();
  const rows = tables
    .filter(({ sql: made }) => made?.startsWith("CREATE TABLE"))
    .map(({ name }) => [...sql.exec(`SELECT * FROM "${name}"`).raw()]);
  return { tables, rows, alarm: await storage.getAlarm() };
}

/** Creates an object of a class over a past database and compares its storage before and after the call. */
async function unchanged(
  name: string,
  subject: Class,
  bindings: object,
  act: (made: InstanceType<Class>) => Promise<void>,
): Promise<void> {
  const stub = env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());
  await runInDurableObject(stub, async (_object, state) => {
    state.storage.sql.exec((DATABASES[name] ?? "SELECT 1").trimEnd());
    const isObject = subject.prototype instanceof DurableObject;
    const made = new subject(isObject ? state : createExecutionContext(), bindings);
    const look = () => kept(state.storage);
    const before = await look();
    await act(made);
    expect(await look()).toEqual(before);
  });
  await evictDurableObject(stub);
}

async function refusalOf(call: () => unknown): Promise<RefusedCallError | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error as RefusedCallError;
  }
}

describe("every object and entry point", () => {
  it("is covered", () => {
    expect(CLASSES.map(([name]) => name).toSorted()).toEqual([
      "BatchExportObject",
      "BatchExports",
      "BatchObject",
      "CacheObject",
      "ExecutorObject",
      "FileTypes",
      "FontChecker",
      "ModelProviders",
      "OrganizationAccessObject",
      "OrganizationMoveObject",
      "OrganizationMoves",
      "ProviderGateObject",
      "RateLimiterObject",
      "Renderer",
      "ResultCache",
      "RunGroupObject",
      "RunObject",
      "ScheduleObject",
      "SoundDecoder",
      "TemplateDraftObject",
      "Thumbnails",
      "UploadObject",
      "WebhookEndpointObject",
      "WebhookSenderObject",
      "WorkspaceObject",
      "ZipBuilderObject",
      "ZipBuilders",
      "ZipExportObject",
    ]);
    expect(CLASSES.flatMap(([, subject]) => methodsOf(subject)).length).toBeGreaterThan(60);
  });

  it.each(CLASSES)("%s declares an entry for each of its methods", (_name, subject) => {
    expect(undeclaredOf(subject)).toEqual([]);
  });

  it("that lacks an entry is detected", () => {
    class Forgetful extends DurableObject {
      known(_request: { v: 1; id: string }): void {}
      forgotten(): void {}
    }
    parseEntries<Pick<Forgetful, "known">>(Forgetful, null, {
      known: [object<{ v: 1; id: string }>({ v: version(1), id: text })],
    });
    expect(undeclaredOf(Forgetful as unknown as Class)).toEqual(["forgotten"]);
  });

  it.each(CLASSES)("%s rejects garbage and future versions, and changes nothing", (name, subject) =>
    unchanged(name, subject, { ...env, ...RUNNER }, async (made) => {
      const methods = methodsOf(subject).filter(
        (method) => method !== "alarm" && method !== "fetch",
      );
      expect(methods.length).toBeGreaterThan(0);
      for (const method of methods) {
        for (const garbage of GARBAGE) {
          const refused = await refusalOf(() => made[method]!(garbage));
          expect(refused?.name, `${name}.${method} took garbage`).toBe("RefusedCallError");
          expect(refused?.code).toBe("invalid");
          expect(refused?.message).toMatch(new RegExp(`^${prefixOf(subject)}\\.${method}: .+\\.$`));
        }
        const future = await refusalOf(() => made[method]!({ v: 2 }));
        const isVersioned = UNVERSIONED[name]?.includes(method) !== true;
        expect(future?.code, `${name}.${method} took a future version`).toBe(
          isVersioned ? "unknown_version" : "invalid",
        );
      }
    }),
  );

  it("rejects a hint of a future version, including a start, and an invalid request for events", async () => {
    const { ExecutorObject } = runner as unknown as Record<string, Class>;
    await unchanged("ExecutorObject", ExecutorObject!, { ...env, ...RUNNER }, async (made) => {
      const hint = { v: 1, workspace_id: "ws", run_id: "run", slot: 0, chunk: 1 };
      const refused = await refusalOf(() => made["accept"]!([hint, { ...hint, v: 2 }]));
      expect(refused).toMatchObject({ code: "unknown_version" });
      expect(refused?.message).toContain("[1].v is version 2");
    });
    await unchanged("RunObject", api.RunObject as unknown as Class, env, async (made) => {
      for (const asked of ["", "?request=%7B", "?request=%7B%22v%22:2%7D"]) {
        const refused = await refusalOf(() => made["fetch"]!(new Request(`https://run/${asked}`)));
        expect(refused?.name).toBe("RefusedCallError");
      }
    });
  });

  it.each(CLASSES)(
    "%s refuses to serve in a Worker with an invalid environment",
    async (name, subject) => {
      const bad = { ...env, ...RUNNER, JWT_SECRET: "short", BOOT_ID: "" };
      await unchanged(name, subject, bad, async (made) => {
        for (const method of methodsOf(subject).filter((each) => each !== "alarm")) {
          if (name === "ExecutorObject") {
            // It gives hints back, since the queue sends them again.
            const hint = { v: 1, workspace_id: "ws", run_id: "run", slot: 0, chunk: 1 };
            expect(await made[method]!([hint])).toEqual([false]);
          } else {
            const refused = await refusalOf(() => made[method]!({ v: 1 }));
            expect(refused).toMatchObject({ name: "RefusedCallError", code: "misconfigured" });
          }
        }
      });
    },
  );

  it("postpones its alarm in a Worker with an invalid environment", async () => {
    for (const [name, subject] of CLASSES.filter(([, each]) => methodsOf(each).includes("alarm"))) {
      const stub = env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());
      await runInDurableObject(stub, async (_object, state) => {
        const { storage } = state;
        storage.sql.exec((DATABASES[name] ?? "SELECT 1").trimEnd());
        const made = new subject(state, { ...env, JWT_SECRET: "" });
        await storage.deleteAlarm();
        await made["alarm"]!();
        expect(await storage.getAlarm(), name).toBeGreaterThan(Date.now() + 50_000);
        await storage.deleteAlarm();
      });
    }
  });
});

it("a refusal has its code over RPC", async () => {
  const stub = env.RUN.get(env.RUN.newUniqueId());
  const refused = await refusalOf(
    async () =>
      await (stub as unknown as { promote(request: unknown): Promise<void> }).promote({ v: 2 }),
  );
  expect(refused).toMatchObject({
    name: "RefusedCallError",
    code: "unknown_version",
    message: "RunObject.promote: .v is version 2, and this code knows version 1.",
  });
});

/** Bindings that the environment checks of the runner and the renderer require. */
const RUNNER = {
  RENDERER_EXECUTOR: {},
  MEDIA_EXECUTOR: {},
  SOUND_DECODER: {},
  EXECUTOR: {},
  WEBHOOK_SENDER: {},
  ZIP_BUILDER: {},
  PROVIDER_GATE: {},
  BATCH_EXPORT: {},
  CACHE: {},
  ORGANIZATION_MOVE: {},
};

/** The class that declares the entries: for an executor, the one in the objects' folder. */
function prefixOf(subject: Class): string {
  return (prototypesOf(subject).at(-1)!.constructor as { name: string }).name;
}
