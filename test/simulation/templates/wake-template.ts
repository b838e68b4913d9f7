/** The real object of a design template over simulated storage. */
import { TemplateDraftObject } from "../../../durable-objects/template-draft/template-draft-object.ts";
import type { SimulatedStorage } from "../object/simulated-storage.ts";

/** Which the environment check requires, and the object does not use. */
const UNUSED = [
  "RUN",
  "WORKSPACE",
  "RATE_LIMITER",
  "RUN_GROUP",
  "ORGANIZATION_ACCESS",
  "WEBHOOK_ENDPOINT",
  "UPLOAD",
  "TEMPLATE_DRAFT",
  "SCHEDULE",
  "BATCH",
  "EMBED_TOKEN",
  "NODE_TASKS",
  "WEBHOOK_DELIVERIES",
  "ZIP_EXPORT",
  "ZIP_BUILDERS",
  "BATCH_EXPORTS",
  "RESULT_CACHE",
  "ORGANIZATION_MOVES",
  "THUMBNAILS",
  "MODEL_PROVIDERS",
  "FONT_CHECKER",
  "FILE_TYPES",
  "RENDERER",
];

/** The environment of the object's Worker, with the database of the lists, and what the object uses of the file store. */
export function templateEnv(
  DB: D1Database,
  FILES: { delete?: (keys: readonly string[]) => Promise<void> } = {},
): object {
  return {
    ...Object.fromEntries(UNUSED.map((name) => [name, {}])),
    DB,
    FILES,
    ENVIRONMENT: "local",
    BOOT_ID: "boot",
    BASE_URL: "",
    JWT_SECRET: "x".repeat(32),
  };
}

/** The next instance of the object; those before it are dead. */
export function wakeTemplate(storage: SimulatedStorage, env: object): TemplateDraftObject {
  return new TemplateDraftObject(
    { id: {}, storage: workerd(storage.open()) } as unknown as DurableObjectState,
    env as never,
  );
}

/** With the members of workerd's storage that the object of a run does not use. */
function workerd(storage: DurableObjectStorage): DurableObjectStorage {
  const exec = (query: string, ...bindings: unknown[]) => {
    const bound = bindings.map((one) => (one instanceof ArrayBuffer ? new Uint8Array(one) : one));
    const cursor = storage.sql.exec(query, ...(bound as SqlStorageValue[]));
    return { toArray: () => cursor.toArray(), one: () => cursor.toArray()[0] };
  };
  return { ...storage, sql: { exec } } as unknown as DurableObjectStorage;
}
