import { env } from "cloudflare:workers";

/** Whether the Worker has several databases: each statement of a tenant is part of a batch then. */
export const HAS_SHARDS = env.WORKER_SHARDS === "1";

/** The binding of the database in which tenants of Worker tests are: with `WORKER_SHARDS=1`, that of shard 1. */
const HOME = HAS_SHARDS ? "DB_1" : "DB";

/** That database. */
export const HOME_DB: D1Database = env[HOME] ?? env.DB;

/** Bindings of databases with another one in its place. */
export function withHome(db: unknown): { readonly DB: D1Database } {
  return { DB: env.DB, [HOME]: db } as { readonly DB: D1Database };
}
