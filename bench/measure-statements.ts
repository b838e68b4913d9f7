/**
 * What is asked of D1 for each submit, counted by the counters in the Workers' bundles (`peers/counting-worker.ts`) with ten
 * thousand tenants on four databases.
 */
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { newId } from "../src/platform/ids.ts";
import { FACTS_AGE_MAX_MS } from "../src/domain/access/kept-facts.ts";
import { TOKEN_LIFETIME_SECONDS } from "../src/domain/auth/token-lifetime.ts";
import { shardBindings } from "../scripts/local-shards.ts";
import { SeededRandom } from "../test/simulation/seeded-random.ts";
import { type CountingService, startCountingService } from "./counting-service.ts";
import { atMost, type Figure } from "./figure.ts";
import { httpCall } from "./http-call.ts";
import { zipfShares } from "./scale/zipf.ts";
import { median, spread } from "./statistics.ts";

const SHARDS = 4;
const ROUNDS = 5;
const RUNS_A_SECOND = 1_000;
const CLIENTS = 8;
/** The clock moves once for this many submits. */
const SUBMITS_A_TICK = 100;
/** By which facts that are over are older than their life. */
const OVER_MS = 60_000;
const SEED = 20_261_128;
/** Of access tokens (src/domain/auth/signing-key.ts, which only workerd's types fit). */
const TOKEN_ISSUER = "edgeloom";

/**
 * Statements of each submit before access objects and copies of definitions, at 1,000 runs a second of ten thousand tenants in
 * 20 isolates: docs/scaling.md of 2026-11-23, of which D1 was busy for 143.6 % of a second at 1,000 statements.
 */
const BEFORE = 1.436;

export interface StatementCounts {
  readonly tenants: number;
  /** Of each round. */
  readonly submits: number;
}

const WHOLE: StatementCounts = { tenants: 10_000, submits: 500 };

interface Tenant {
  readonly shard: number;
  readonly keyId: string;
  readonly secret: string;
  readonly workflow: string;
  readonly token: string;
}

/** Statements of all databases for a submit, and of the busiest of them. */
export async function measureStatements(sizes: StatementCounts = WHOLE): Promise<Figure[]> {
  const { all, busiest } = await countStatements(sizes);
  const before = { name: "before, in 20 isolates (simulated)", value: spread([BEFORE]) };
  const population = `${sizes.tenants.toLocaleString("en")} tenants on ${String(SHARDS)} databases`;
  return [
    {
      name: `statements that D1 is asked for a submit, ${population}, counted, in isolates that know nothing`,
      unit: "statements",
      ours: spread(all),
      beside: [before],
      targets: [atMost("≤ 0.1 × before", median(all) / BEFORE, 0.1)],
    },
    {
      name: "statements that the busiest of them is asked, at 10,000 runs a second",
      unit: "a second",
      ours: spread(busiest.map((each) => each * 10 * RUNS_A_SECOND)),
      beside: [{ name: "before, one database at 1,000", value: spread([BEFORE * RUNS_A_SECOND]) }],
      targets: [atMost("below one database's at 1,000 before", (median(busiest) * 10) / BEFORE, 1)],
    },
  ];
}

/**
 * Statements of each submit, by round. The isolate keeps neither keys nor plans, as if each submit reached one that has served
 * nobody: no number of isolates asks more. What the objects know is as old as after a long time of service; since the machine takes
 * longer for the submits than they have, more of it ends meanwhile, so that the figure is too high. Sign-ins are counted with the
 * submits, as often as tokens end. Tenants that submit nothing meanwhile have rows alone.
 */
async function countStatements({ tenants: count, submits }: StatementCounts): Promise<{
  readonly all: readonly number[];
  readonly busiest: readonly number[];
}> {
  const forgetful = {
    worker: "edgeloom",
    from: /ttlMs:\s*(?:3e4|30_?000)/g,
    to: "ttlMs:0",
  } as const;
  const service = await startCountingService(forgetful, SHARDS);
  try {
    const random = new SeededRandom(SEED);
    const tenants = await newTenants(service, count);
    const rates = zipfShares(count, 1).map((share) => share * RUNS_A_SECOND);
    const draw = drawer(rates, random);
    const rounds = Array.from({ length: ROUNDS }, () => Array.from({ length: submits }, draw));
    const signIns = Array.from({ length: Math.ceil(submits * ROUNDS * signInsEach(rates)) }, () =>
      random.below(count),
    );
    await serve(service, tenants, rates, new Set([...rounds.flat(), ...signIns]), random);
    const all: number[] = [];
    const busiest: number[] = [];
    for (const round of rounds) {
      await service.reset();
      for (let done = 0; done < submits; done += SUBMITS_A_TICK) {
        const tick = round.slice(done, done + SUBMITS_A_TICK);
        await together(tick.map((index) => () => submit(service, tenants[index])));
        await service.forward((tick.length * 1_000) / RUNS_A_SECOND);
      }
      // The rest of them in the last round.
      const due = round === rounds.at(-1) ? signIns.length : Math.floor(signIns.length / ROUNDS);
      for (const index of signIns.splice(0, due)) {
        await signIn(service, tenants[index]);
      }
      await service.settled();
      const asked: Record<string, number> = {};
      for (const { d1 } of await service.counts()) {
        for (const [name, statements] of Object.entries(d1.byDatabase)) {
          asked[name] = (asked[name] ?? 0) + statements;
        }
      }
      const each = Object.values(asked).map((statements) => statements / submits);
      all.push(each.reduce((sum, statements) => sum + statements, 0));
      busiest.push(Math.max(0, ...each));
    }
    return { all, busiest };
  } finally {
    await service.stop();
  }
}

/** Sign-ins for each submit: a token is renewed by the tenant's next run after its life. */
function signInsEach(rates: Float64Array): number {
  const perSecond = rates.reduce((sum, rate) => sum + 1 / (TOKEN_LIFETIME_SECONDS + 1 / rate), 0);
  return perSecond / RUNS_A_SECOND;
}

/**
 * What tenants have done before: each has submitted once, which copied its definition and read its facts, and signed in. A fact
 * is read again by the first submit after its life, so that of a tenant with few runs has mostly ended, and the others are
 * of any age.
 */
async function serve(
  service: CountingService,
  tenants: readonly Tenant[],
  rates: Float64Array,
  some: ReadonlySet<number>,
  random: SeededRandom,
): Promise<void> {
  const moments = [...some]
    .map((index) => {
      const isOver = random.next() < 1 / (1 + ((rates[index] ?? 0) * FACTS_AGE_MAX_MS) / 1_000);
      return { index, atMs: isOver ? 0 : OVER_MS + random.below(FACTS_AGE_MAX_MS) };
    })
    .toSorted((one, other) => one.atMs - other.atMs);
  const beganMs = Date.now();
  let aheadMs = 0;
  const reach = async (atMs: number) => {
    const leftMs = atMs - aheadMs - (Date.now() - beganMs);
    if (leftMs > 0) {
      aheadMs += leftMs;
      await service.forward(leftMs);
    }
  };
  for (let at = 0; at < moments.length; at += CLIENTS) {
    const next = moments.slice(at, at + CLIENTS);
    await reach(next.at(-1)?.atMs ?? 0);
    await together(
      next.map(({ index }) => async () => {
        await submit(service, tenants[index]);
        await signIn(service, tenants[index]);
      }),
    );
  }
  await reach(OVER_MS + FACTS_AGE_MAX_MS);
  await service.settled();
}

/** Runs work, a few at once. */
async function together(work: readonly (() => Promise<void>)[]): Promise<void> {
  const left = [...work];
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        await next();
      }
    }),
  );
}

async function submit({ baseUrl }: CountingService, tenant: Tenant | undefined): Promise<void> {
  assert.ok(tenant !== undefined);
  const { status, text } = await httpCall("POST", `${baseUrl}/api/v1/executions`, {
    headers: { authorization: `Bearer ${tenant.token}`, "content-type": "application/json" },
    body: JSON.stringify({ workflow: tenant.workflow, inputs: { in: { value: '"x"' } } }),
  });
  assert.equal(status, 202, text);
}

async function signIn({ baseUrl }: CountingService, tenant: Tenant | undefined): Promise<void> {
  assert.ok(tenant !== undefined);
  const { keyId, secret } = tenant;
  const { status } = await httpCall("POST", `${baseUrl}/api/v1/auth/token`, {
    headers: {
      authorization: `Basic ${btoa(`${keyId}:${secret}`)}`,
      "content-type": "application/x-www-form-urlencoded",
      "cf-connecting-ip": `2001:db8::${keyId.slice(-4)}:${keyId.slice(-8, -4)}`,
    },
    body: "grant_type=client_credentials",
  });
  assert.equal(status, 200);
}

/** The tenants' rows, as the operator and they would have made them, on the databases in turn. */
async function newTenants(service: CountingService, count: number): Promise<Tenant[]> {
  const definition = {
    nodes: [
      { id: "in", type: "input/text", label: "in" },
      { id: "out", type: "output/text", parameters: { key: "out" } },
    ],
    connections: [{ from: { node: "in", port: "text" }, to: { node: "out", port: "text" } }],
  };
  const nowMs = Date.now();
  const secret = randomUUID();
  const hash = createHash("sha256").update(secret).digest("hex");
  const scopes = ["executions:read", "executions:write"];
  const permissions = ["ws:executions:read", "ws:executions:create"];
  const made = await Promise.all(
    Array.from({ length: count }, async (_tenant, index) => {
      const ids = {
        organization: newId("organization", nowMs),
        workspace: newId("workspace", nowMs),
        key: newId("apiKey", nowMs),
        workflow: newId("workflow", nowMs),
      };
      const shard = index % SHARDS;
      const token = await new SignJWT({
        scope: scopes.join(" "),
        org: ids.organization,
        ws: ids.workspace,
        shard,
      })
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setIssuer(TOKEN_ISSUER)
        .setSubject(ids.key)
        .setJti(randomUUID())
        .setIssuedAt(Math.floor(nowMs / 1_000))
        .setExpirationTime(Math.floor(nowMs / 1_000) + 2 * TOKEN_LIFETIME_SECONDS)
        .sign(new TextEncoder().encode(service.jwtSecret));
      return { ids, shard, token };
    }),
  );
  const directory = await service.miniflare.getD1Database("DB", "edgeloom");
  for (const [shard, binding] of shardBindings(SHARDS).entries()) {
    const db = await service.miniflare.getD1Database(binding, "edgeloom");
    const own = made.filter((each) => each.shard === shard).map(({ ids }) => ids);
    const text = JSON.stringify(own);
    const from = "FROM json_each(?1)";
    const of = (name: string) => `json_extract(value, '$.${name}')`;
    await db.batch(
      [
        `INSERT INTO organizations SELECT ${of("organization")}, 'O', 'dev', 1 ${from}`,
        `INSERT INTO workspaces SELECT ${of("workspace")}, ${of("organization")}, 'W', 'dev', 1 ${from}`,
        `INSERT INTO api_keys SELECT ${of("key")}, ${of("organization")}, ${of("workspace")}, 'K', '${hash}',
           '${JSON.stringify(scopes)}', '${JSON.stringify(permissions)}', 0, 1, NULL, NULL ${from}`,
        `INSERT INTO workflows (id, workspace_id, name, name_folded, description, tags, status, version, definition, content_hash,
           created_at_ms, updated_at_ms)
         SELECT ${of("workflow")}, ${of("workspace")}, 'N', 'n', '', '[]', 'published', 1, '${JSON.stringify(definition)}', 'h', 1, 1 ${from}`,
        `INSERT INTO workflow_versions (workflow_id, version, workspace_id, definition, content_hash, created_at_ms)
         SELECT ${of("workflow")}, 1, ${of("workspace")}, '${JSON.stringify(definition)}', 'h', 1 ${from}`,
      ].map((sql) => db.prepare(sql).bind(text)),
    );
    await directory.batch(
      [
        `INSERT INTO organization_homes (organization_id, shard) SELECT ${of("organization")}, ${String(shard)} ${from}`,
        `INSERT INTO key_organizations (key_id, organization_id) SELECT ${of("key")}, ${of("organization")} ${from}`,
      ].map((sql) => directory.prepare(sql).bind(text)),
    );
  }
  return made.map(({ ids, shard, token }) => ({
    shard,
    keyId: ids.key,
    secret,
    workflow: ids.workflow,
    token,
  }));
}

/** Draws tenants by their rates. */
function drawer(rates: Float64Array, random: SeededRandom): () => number {
  let sum = 0;
  const sums = rates.map((rate) => (sum += rate));
  return () => {
    const at = random.next() * sum;
    const found = sums.findIndex((each) => each > at);
    return found === -1 ? sums.length - 1 : found;
  };
}
