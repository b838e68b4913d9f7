/** The databases of a local service (docs/contract/local-service.md#shards). */
import { join } from "node:path";
import { readJsonFile, writePrivateJson } from "./local-secrets.ts";

const SHARDS_MAX = 16;

export interface LocalShards {
  readonly count: number;
  /** Number of databases that the folder has. */
  readonly kept: number;
  /** Whether the folder had fewer before. */
  readonly hasGrown: boolean;
}

/**
 * The number of databases of a folder: the given one, or the folder's own. Throws if it is not a whole number from 1 to
 * 16, or less than the folder has.
 */
export async function countShards(
  directory: string,
  given: number | string | undefined,
): Promise<LocalShards> {
  const kept = (await readJsonFile<{ readonly shards: number }>(noteOf(directory)))?.shards ?? 1;
  const count = given === undefined || given === "" ? kept : Number(given);
  if (!Number.isInteger(count) || count < 1 || count > SHARDS_MAX) {
    throw new Error(
      `The number of shards is "${String(given)}"; it must be a whole number from 1 to ${String(SHARDS_MAX)}.`,
    );
  }
  if (count < kept) {
    throw new Error(
      `${directory} has ${String(kept)} shards; it may get more, and never fewer. Start it with --shards ${String(kept)} or more.`,
    );
  }
  return { count, kept, hasGrown: count > kept };
}

/** Notes the number of databases, once all have their tables. */
export async function keepShards(directory: string, shards: LocalShards): Promise<void> {
  if (shards.hasGrown) {
    await writePrivateJson(noteOf(directory), { shards: shards.count });
  }
}

/** The names of the bindings: `DB`, `DB_1`, … */
export function shardBindings(count: number): string[] {
  return Array.from({ length: count }, (_shard, index) =>
    index === 0 ? "DB" : `DB_${String(index)}`,
  );
}

/** The databases of a Worker, with those of further shards. */
export function withShards(databases: unknown, count: number): Record<string, string> {
  const own = { ...(databases as Record<string, string> | undefined) };
  return "DB" in own
    ? {
        ...own,
        ...Object.fromEntries(
          shardBindings(count)
            .slice(1)
            .map((binding, index) => [binding, `shard-${String(index + 1)}`]),
        ),
      }
    : own;
}

function noteOf(directory: string): string {
  return join(directory, "shards.json");
}
