/** The one place that chooses a database (docs/decisions/shards.md): no other module names a `DB` binding. */
import { storageUnavailable } from "../../platform/storage-state.ts";
import { unlimited } from "../../platform/limits.ts";
import { LaterDatabase } from "./later-database.ts";
import { MOVE_WAIT_MS, pauseForMove, refusalOf } from "./move-refusals.ts";

/** `DB` is shard 0 and has the directory. The others are `DB_1` to `DB_63`, as far as the deployment has them. */
export interface Databases {
  readonly DB: D1Database;
  readonly [shard: `DB_${number}`]: D1Database | undefined;
}

/** The part of a database that stores use. */
export type Database = Pick<D1Database, "prepare" | "batch">;

/** An organization's shard, and its database. */
export interface Home {
  readonly shard: number;
  readonly db: D1Database;
}

/** What a signed token says about its workspace. */
export interface HomeHint {
  readonly workspaceId: string;
  readonly organizationId: string;
  readonly shard: number | undefined;
  readonly issuedAtMs: number;
}

const SHARDS_MAX = 64;
/** How long an isolate believes where an organization is. */
const BELIEVED_MS = 30_000;
/** A token's hint is not used at this age: rows at a former home are kept for 10 minutes. */
const HINT_AGE_MAX_MS = 9 * 60_000;
/** Of each of the two maps below. */
const KNOWN_MAX = 10_000;

const shards = new WeakMap<object, readonly number[]>();
/** Until when an isolate believes that it has all shards that are in use. */
const completeUntilMs = new WeakMap<object, number>();
/** Homes of organizations; a home that is not believed may be where the organization was. */
const homes = new Map<string, { readonly shard: number; readonly untilMs: number }>();
/** The organization of a workspace, which never changes. */
const organizations = new Map<string, string>();

/** The database of the directory, of billing plans, and of what belongs to the whole deployment. */
export function directoryOf(bindings: Databases): D1Database {
  return bindings.DB;
}

/** The numbers of the shards that the deployment has, ascending from 0. */
export function shardsOf(bindings: Databases): readonly number[] {
  const key = unlimited(bindings);
  let known = shards.get(key);
  if (known === undefined) {
    known = Array.from({ length: SHARDS_MAX }, (_shard, index) => index).filter(
      (shard) => shard === 0 || (key as Databases)[bindingOf(shard)] !== undefined,
    );
    shards.set(key, known);
  }
  return known;
}

/** The name of a shard's binding. */
export function bindingOf(shard: number): `DB_${number}` {
  return (shard === 0 ? "DB" : `DB_${String(shard)}`) as `DB_${number}`;
}

/** The database of a shard. Throws `service_unavailable` if the deployment does not have it. */
export function databaseAt(bindings: Databases, shard: number): D1Database {
  const db = bindings[bindingOf(shard)];
  if (db === undefined) {
    throw storageUnavailable(new Error(`The binding ${bindingOf(shard)} is missing.`));
  }
  return db;
}

/**
 * The database of a workspace's rows; it finds nothing if there is no such workspace. Statements wait while the organization
 * is handed over to another shard, and run there if it has moved.
 */
export function databaseOf(bindings: Databases, workspaceId: string): Database {
  return isSharded(bindings)
    ? new LaterDatabase(async (isAsked) => {
        const organizationId = await organizationOf(bindings, workspaceId);
        return organizationId === undefined
          ? { db: bindings.DB, organizationId }
          : { ...(await homeOf(bindings, organizationId, isAsked)), organizationId };
      })
    : bindings.DB;
}

/**
 * The home of a workspace's organization; shard 0 if there is no such workspace. Throws `service_unavailable` if it may be
 * on a shard that is missing or does not respond.
 */
export async function homeOfWorkspace(bindings: Databases, workspaceId: string): Promise<Home> {
  if (!isSharded(bindings)) {
    return homeAt(bindings, 0);
  }
  const organizationId = await organizationOf(bindings, workspaceId);
  return organizationId === undefined
    ? homeAt(bindings, 0)
    : await homeOf(bindings, organizationId);
}

/**
 * The organization of a workspace; undefined if there is no such workspace. Throws `service_unavailable` if it may be on a
 * shard that is missing or does not respond.
 */
export async function organizationOf(
  bindings: Databases,
  workspaceId: string,
): Promise<string | undefined> {
  const organizationId =
    organizations.get(workspaceId) ?? (await findOrganizationOf(bindings, workspaceId));
  if (organizationId === undefined) {
    await requireAllShards(bindings);
  }
  return organizationId;
}

/**
 * Runs work on an organization's rows at its home. It is repeated if it was refused because the organization moves, for as
 * long as a move may refuse writes; what it did until then was undone.
 */
export async function atHome<T>(
  bindings: Databases,
  organizationId: string,
  work: (home: Home) => Promise<T>,
): Promise<T> {
  const untilMs = Date.now() + MOVE_WAIT_MS;
  for (let isAsked = false; ; isAsked = true) {
    const home = await homeOf(bindings, organizationId, isAsked);
    try {
      return await work(home);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) {
        throw error;
      }
      if (Date.now() >= untilMs) {
        throw storageUnavailable(error);
      }
      await pauseForMove(refusal, isAsked);
    }
  }
}

/**
 * The home of an organization; shard 0 if the directory has none. The directory is asked every 30 s, and if `isAsked` is
 * set.
 */
export async function homeOf(
  bindings: Databases,
  organizationId: string,
  isAsked = false,
): Promise<Home> {
  if (!isSharded(bindings)) {
    return homeAt(bindings, 0);
  }
  const believed = homes.get(organizationId);
  const nowMs = Date.now();
  if (!isAsked && believed !== undefined && nowMs < believed.untilMs) {
    return homeAt(bindings, believed.shard);
  }
  return await askHome(bindings, organizationId);
}

/**
 * The home of an organization by the directory, also in a deployment with one database: for what was not found. Throws
 * `service_unavailable` if the shard has no binding here.
 */
export async function askHome(bindings: Databases, organizationId: string): Promise<Home> {
  const shard =
    (await bindings.DB.prepare("SELECT shard FROM organization_homes WHERE organization_id = ?")
      .bind(organizationId)
      .first<number>("shard")) ?? 0;
  believeHome(organizationId, shard);
  return homeAt(bindings, shard);
}

/** The home of a key's organization, by one query of the directory; shard 0 if it does not know the key. */
export async function homeOfKey(bindings: Databases, keyId: string): Promise<Home> {
  return isSharded(bindings) ? await askHomeOfKey(bindings, keyId) : homeAt(bindings, 0);
}

/** The home of a key, asked as `askHome` does. */
export async function askHomeOfKey(bindings: Databases, keyId: string): Promise<Home> {
  const found = await bindings.DB.prepare(
    `SELECT organization_id, shard FROM key_organizations
     JOIN organization_homes USING (organization_id) WHERE key_id = ?`,
  )
    .bind(keyId)
    .first<{ organization_id: string; shard: number }>();
  if (found === null) {
    return homeAt(bindings, 0);
  }
  believeHome(found.organization_id, found.shard);
  return homeAt(bindings, found.shard);
}

/**
 * Reads rows of a workspace where it probably is: at the home that this isolate believes in, or else on the shard of
 * `hint`, however old it is. Where `read` finds the rows, and not that the organization has moved (`MOVE_STATE`), they are
 * at home: a former home keeps the state for as long as the rows. Otherwise the directory is asked.
 */
export async function readLikely<T extends LikelyRow>(
  bindings: Databases,
  { workspaceId, organizationId: given, hint }: LikelyPlace,
  read: (home: Home) => Promise<T | null>,
): Promise<T | null> {
  const organizationId = isSharded(bindings)
    ? (given ?? (await organizationOf(bindings, workspaceId)))
    : undefined;
  if (organizationId === undefined) {
    return await read(homeAt(bindings, 0));
  }
  const known = homes.get(organizationId);
  const isBelieved = known !== undefined && Date.now() < known.untilMs;
  const shard = isBelieved ? known.shard : (hint ?? known?.shard);
  if (shard !== undefined && shardsOf(bindings).includes(shard)) {
    const found = await read(homeAt(bindings, shard));
    if (found !== null && !isFormer(found.move_state)) {
      believeHome(organizationId, shard);
      return found;
    }
  }
  return await read(await askHome(bindings, organizationId));
}

export interface LikelyPlace {
  readonly workspaceId: string;
  /** Undefined if the caller does not know it. */
  readonly organizationId?: string | undefined;
  /** The shard on which the organization was last seen. */
  readonly hint?: number | undefined;
}

/** A row with what its database is to an organization that moves. */
export interface LikelyRow {
  readonly move_state: unknown;
}

/** Whether an organization that has this state in a database is at home elsewhere. */
export function isFormer(moveState: unknown): boolean {
  return moveState === "moved" || moveState === "arriving";
}

/** The shard on which this isolate last saw an organization; it may have moved. */
export function lastHome(organizationId: string): number | undefined {
  return homes.get(organizationId)?.shard;
}

/**
 * Takes over what a signed token says about its workspace: its shard only if this isolate has never known it. Throws
 * `service_unavailable` if the shard has no binding here: with `DB` alone, nobody asks the directory later.
 */
export function takeHint(bindings: Databases, hint: HomeHint): void {
  if (!isSharded(bindings)) {
    databaseAt(bindings, hint.shard ?? 0);
    return;
  }
  believeOrganization(bindings, hint.workspaceId, hint.organizationId);
  const isNew = Date.now() - hint.issuedAtMs < HINT_AGE_MAX_MS;
  const known = homes.get(hint.organizationId);
  if (hint.shard !== undefined && (known === undefined || (isNew && known.untilMs === 0))) {
    const untilMs = isNew ? Date.now() + BELIEVED_MS : 0;
    remember(homes, hint.organizationId, { shard: hint.shard, untilMs });
  }
}

/** Notes the organization of a workspace, which spares the question to all shards. */
export function believeOrganization(
  bindings: Databases,
  workspaceId: string,
  organizationId: string,
): void {
  if (isSharded(bindings)) {
    remember(organizations, workspaceId, organizationId);
  }
}

/** Notes the home of an organization that was just read or written. */
export function believeHome(organizationId: string, shard: number): void {
  remember(homes, organizationId, { shard, untilMs: Date.now() + BELIEVED_MS });
}

/** Forgets all homes in this isolate. */
export function forgetHomes(): void {
  homes.clear();
}

/**
 * Looks for what is on one shard, and nobody knows on which: undefined if no shard has it. While an organization moves, and
 * for some minutes after, two shards may have it: the first is taken that `isHome` accepts, or the first of all. Throws
 * `service_unavailable` if none of those that respond has it and another one failed.
 */
export async function findOnAny<T>(
  bindings: Databases,
  find: (db: D1Database) => Promise<T | null>,
  isHome: (found: T) => boolean = () => true,
): Promise<T | undefined> {
  const asked = await askAll(bindings, find);
  const found = asked.flatMap((each) =>
    each.status === "fulfilled" && each.value !== null ? [each.value] : [],
  );
  const failure = asked.find((each) => each.status === "rejected");
  if (found.length === 0 && failure !== undefined) {
    throw storageUnavailable(failure.reason);
  }
  return found.find(isHome) ?? found[0];
}

/** Asks every shard at once, in their order. */
export function askAll<T>(
  bindings: Databases,
  ask: (db: D1Database) => Promise<T>,
): Promise<PromiseSettledResult<T>[]> {
  return Promise.allSettled(
    shardsOf(bindings).map(async (shard) => await ask(databaseAt(bindings, shard))),
  );
}

/**
 * For what was not found: throws `service_unavailable` if an organization is on a shard that has no binding here. A
 * deployment that is complete is asked again after 30 s.
 */
export async function requireAllShards(bindings: Databases): Promise<void> {
  const key = unlimited(bindings);
  const nowMs = Date.now();
  if (nowMs < (completeUntilMs.get(key) ?? 0)) {
    return;
  }
  const { results } = await bindings.DB.prepare("SELECT shard FROM shards WHERE organizations > ?")
    .bind(0)
    .all<{ shard: number }>();
  for (const { shard } of results) {
    databaseAt(bindings, shard);
  }
  completeUntilMs.set(key, nowMs + BELIEVED_MS);
}

function isSharded(bindings: Databases): boolean {
  return shardsOf(bindings).length > 1;
}

function homeAt(bindings: Databases, shard: number): Home {
  return { shard, db: databaseAt(bindings, shard) };
}

/** Asks all shards at once. */
async function findOrganizationOf(
  bindings: Databases,
  workspaceId: string,
): Promise<string | undefined> {
  const found = await findOnAny(bindings, (db) =>
    db
      .prepare("SELECT organization_id FROM workspaces WHERE id = ?")
      .bind(workspaceId)
      .first<string>("organization_id"),
  );
  if (found !== undefined) {
    remember(organizations, workspaceId, found);
  }
  return found;
}

/** Adds an entry; the oldest is removed first. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  for (const oldest of map.keys()) {
    if (map.size < KNOWN_MAX) {
      break;
    }
    map.delete(oldest);
  }
  map.set(key, value);
}
