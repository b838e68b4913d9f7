/** The gates of providers: their objects are the service's own, and die with the machine but for their rows. */
import { ProviderGateObject } from "../../../durable-objects/provider-gate/provider-gate-object.ts";
import type { ProviderGateApi } from "../../../src/contracts/models/provider-gate.ts";
import type { RunTasksApi } from "../../../src/contracts/runs/task.ts";
import type { RunnerEnv } from "../../../src/platform/env.ts";
import { doneBy, type Doer, type ObjectWorld } from "../object/object-world.ts";

/** Places at each provider. */
export const PLACES = 3;
export const LIMITS = { all: PLACES, each: PLACES };
const WORKSPACE = "ws_1";
/** Of the runner, for the gate's object. */
const UNUSED: object = Object.fromEntries(
  ["FILES", "EXECUTOR", "RENDERER_EXECUTOR", "MEDIA_EXECUTOR", "WEBHOOK_ENDPOINT"]
    .concat([
      "DB",
      "WEBHOOK_SENDER",
      "ZIP_EXPORT",
      "ZIP_BUILDER",
      "ORGANIZATION_MOVE",
      "PROVIDER_GATE",
      "CACHE",
      "BATCH",
      "BATCH_EXPORT",
      "SOUND_DECODER",
    ])
    .map((name) => [name, {}]),
);

export class SimulatedGates {
  readonly #world: ObjectWorld;
  /** Rows of the objects, which outlive the machine. */
  readonly #rows = new Map<string, Map<string, unknown>>();
  readonly #objects = new Map<string, { readonly boot: number; readonly api: ProviderGateApi }>();

  constructor(world: ObjectWorld) {
    this.#world = world;
  }

  /** How many of a gate's places are free; takes them. */
  async freePlaces(kind: string): Promise<number> {
    const gate = this.of(kind);
    const by = { v: 1, workspace_id: WORKSPACE, run_id: "probe", task_id: null } as const;
    let free = 0;
    for (let at = 0; at < PLACES; at += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one visitor after the other
      const { admitted } = await gate.enter({
        ...by,
        holder: `probe${at}`,
        left: [],
        limits: LIMITS,
      });
      free += admitted ? 1 : 0;
    }
    return free;
  }

  /** The object of a gate since the machine's last start. */
  of(kind: string): ProviderGateApi {
    const world = this.#world;
    const { boot } = world;
    const known = this.#objects.get(kind);
    if (known?.boot === boot) {
      return known.api;
    }
    const doer: Doer = { isAlive: () => world.boot === boot };
    const rows = this.#rows.get(kind) ?? new Map<string, unknown>();
    this.#rows.set(kind, rows);
    const kv = {
      get: (key: string) => rows.get(key),
      put: (key: string, value: unknown) => rows.set(key, structuredClone(value)),
    };
    const run = {
      resume: (request: Parameters<RunTasksApi["resume"]>[0]) =>
        new Promise<readonly number[] | null>((resolve, reject) => {
          world.rpc({
            send: (object) => object.resume(request),
            onResponse: resolve,
            onLost: () => reject(new Error("the run was not reached")),
          });
        }),
    };
    const state = { storage: { kv }, waitUntil: () => {} };
    const env = {
      ...UNUSED,
      RUN: { idFromName: (name: string) => name, get: () => run },
      ENVIRONMENT: "production",
      BOOT_ID: `boot_${boot}`,
    };
    const gate = new ProviderGateObject(
      state as unknown as DurableObjectState,
      env as unknown as RunnerEnv,
    );
    // Its timers are its own, not those of a caller.
    const api: ProviderGateApi = {
      enter: (request) => doneBy(doer, () => gate.enter(request)),
      renew: (request) => doneBy(doer, () => gate.renew(request)),
      leave: (request) => doneBy(doer, () => gate.leave(request)),
      pause: (request) => doneBy(doer, () => gate.pause(request)),
    };
    this.#objects.set(kind, { boot, api });
    return api;
  }
}
