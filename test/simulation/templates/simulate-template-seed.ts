/**
 * The real object of a design template over SQLite, in a world that kills it at any await, refuses its calls to the lists
 * and loses their responses. Two callers write to it between each other's steps; a caller whose request was lost repeats it.
 */
import { createHash } from "node:crypto";
import type { TemplateDraftObject } from "../../../durable-objects/template-draft/template-draft-object.ts";
import type {
  DraftReplay,
  DraftRequest,
  TemplateRecord,
} from "../../../src/contracts/templates/template-object-api.ts";
import { TemplateRows } from "../../../src/storage/d1/template-rows.ts";
import { Dead, SimulatedStorage } from "../object/simulated-storage.ts";
import { SeededRandom } from "../seeded-random.ts";
import { ReferenceTemplate, type Write } from "./reference-template.ts";
import { SimulatedLists } from "./simulated-lists.ts";
import { templateEnv, wakeTemplate } from "./wake-template.ts";

const WORKSPACE = "ws_1";
const STEPS = 40;
const REPEATS_MAX = 30;

export interface TemplateVerdict {
  readonly problem: string | undefined;
  readonly crashes: number;
  readonly replays: number;
  readonly moved: number;
  readonly refused: number;
  readonly versions: number;
}

const bytesOf = (content: number) => new TextEncoder().encode(`{"n":${String(content)}}`);
const hashOf = (content: number) => createHash("sha256").update(bytesOf(content)).digest("hex");

/** A world of one seed; `problem` names the first difference from the reference. */
export async function simulateTemplateSeed(seed: number): Promise<TemplateVerdict> {
  const world = new TemplateWorld(seed);
  try {
    return await world.run();
  } finally {
    world.close();
  }
}

class TemplateWorld {
  readonly #random: SeededRandom;
  readonly #storage = new SimulatedStorage();
  readonly #lists = new SimulatedLists(
    () => {
      this.#leave();
      if (this.#random.chance(this.#faults)) {
        throw new Error("D1_ERROR: refused");
      }
    },
    () => {
      this.#maybeCrash();
      if (this.#random.chance(this.#faults)) {
        throw new Error("D1_ERROR: the response was lost");
      }
    },
  );
  readonly #reference = new ReferenceTemplate(hashOf);
  readonly #env: object;
  readonly #sent: Extract<Write, { key: string }>[] = [];
  #object: TemplateDraftObject | undefined;
  #life = 0;
  #faults = 0;
  #crashes = 0;
  #replays = 0;
  #moved = 0;
  #refused = 0;
  #number = 0;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    this.#env = templateEnv(this.#lists.binding);
  }

  close(): void {
    this.#storage.close();
    this.#lists.close();
  }

  async run(): Promise<TemplateVerdict> {
    let problem: string | undefined;
    try {
      await this.#create();
      this.#faults = 0.06;
      for (let step = 0; step < STEPS && problem === undefined; step += 1) {
        problem = await this.#step();
        problem &&= `step ${String(step)}: ${problem}`;
      }
      this.#faults = 0;
      problem ??= await this.#compareLists();
    } catch (error) {
      problem ??= `threw ${String(error)}`;
    }
    return {
      problem,
      crashes: this.#crashes,
      replays: this.#replays,
      moved: this.#moved,
      refused: this.#refused,
      versions: this.#reference.versions.length,
    };
  }

  async #create(): Promise<void> {
    const record = await this.#wake().create({
      v: 1,
      id: "tpl_1",
      workspace_id: WORKSPACE,
      name: "First",
      description: "",
      tags: [],
      source: null,
      content: bytesOf(0),
      content_hash: hashOf(0),
      page_count: 1,
      created_at_ms: Date.now(),
    });
    this.#storage.flush();
    await new TemplateRows({ DB: this.#lists.binding }, WORKSPACE).insert(record, undefined);
  }

  async #step(): Promise<string | undefined> {
    if (this.#random.chance(0.15)) {
      await this.#call((object) => object.alarm());
      return await this.#compare();
    }
    const write = this.#newWrite();
    const before = this.#crashes;
    const given = await this.#request(write);
    const expected = this.#reference.apply(write);
    // A lost revert may have happened: its repeat finds a draft.
    const isRepeatedRevert =
      write.kind === "revert" && this.#crashes > before && given === "invalid_state";
    if (given !== expected && !isRepeatedRevert) {
      return `${JSON.stringify(write)} returned ${given}, not ${expected}`;
    }
    this.#refused += /^\d|^ok/.test(given) ? 0 : 1;
    return await this.#compare();
  }

  #newWrite(): Write {
    const random = this.#random;
    const kind = random.pick([
      "edit",
      "edit",
      "edit",
      "publish",
      "publish",
      "patch",
      "revert",
      "repeat",
      "reuse",
    ]);
    this.#number += 1;
    const key = `key ${String(this.#number)}`;
    switch (kind) {
      case "patch":
        return random.chance(0.05) ? { kind: "archive" } : { kind: "patch", name: key };
      case "revert":
        return { kind: "revert" };
      case "repeat":
      case "reuse": {
        const earlier = this.#sent.length === 0 ? undefined : random.pick(this.#sent);
        if (earlier !== undefined) {
          return kind === "repeat" ? earlier : { ...earlier, content: earlier.content + 100 };
        }
        break;
      }
      default:
    }
    const ifMatch = random.pick([
      `"${this.#reference.etag}"`,
      `"${this.#reference.etag}"`,
      "*",
      '"dd-draft-r1-0"',
      null,
    ]);
    const write = {
      kind: kind === "publish" ? ("publish" as const) : ("edit" as const),
      key,
      ifMatch,
      content: random.below(4),
    };
    this.#sent.push(write);
    return write;
  }

  /** Sends a request until it has a response, as a caller does that repeats it with its key. */
  async #request(write: Write): Promise<string> {
    for (let repeat = 0; repeat < REPEATS_MAX; repeat += 1) {
      const answer = await this.#attempt(write);
      if (answer !== undefined) {
        return answer;
      }
    }
    throw new Error("a request never got a response");
  }

  async #attempt(write: Write): Promise<string | undefined> {
    if (write.kind !== "edit" && write.kind !== "publish") {
      const { kind, ...rest } = write;
      const changed = await this.#call((object) =>
        object.change({ v: 1, workspace_id: WORKSPACE, change: { type: kind, ...rest } as never }),
      );
      return changed === undefined ? undefined : changed.ok ? "ok" : changed.code;
    }
    const request: DraftRequest = {
      v: 1,
      workspace_id: WORKSPACE,
      idempotency: { key: write.key, fingerprint: `${write.kind} ${String(write.content)}` },
      if_match: write.ifMatch,
    };
    const opened = await this.#call((object) => object.open({ ...request, wants_content: true }));
    if (opened === undefined) {
      return undefined;
    }
    if (!opened.ok) {
      return refusal(opened);
    }
    if (opened.value.kind === "replay") {
      this.#replays += 1;
      return replayed(write.kind, opened.value.replay);
    }
    const { record } = opened.value;
    await this.#interrupt();
    return write.kind === "edit"
      ? await this.#edit(request, record, write.content)
      : await this.#publish(request, record);
  }

  /** Between the two calls of a write another caller may write, or archive. */
  async #interrupt(): Promise<void> {
    if (!this.#random.chance(0.15)) {
      return;
    }
    this.#number += 1;
    const other: Write = this.#random.chance(0.05)
      ? { kind: "archive" }
      : {
          kind: "edit",
          key: `other ${String(this.#number)}`,
          ifMatch: "*",
          content: this.#random.below(4),
        };
    const given = await this.#request(other);
    const expected = this.#reference.apply(other);
    if (given !== expected) {
      throw new Error(
        `${JSON.stringify(other)} between two calls returned ${given}, not ${expected}`,
      );
    }
  }

  async #edit(
    request: DraftRequest,
    record: TemplateRecord,
    content: number,
  ): Promise<string | undefined> {
    const isSame = hashOf(content) === record.content_hash;
    const committed = await this.#call((object) =>
      object.commit({
        ...request,
        base_revision: record.draft_revision,
        change: isSame
          ? null
          : { content: bytesOf(content), content_hash: hashOf(content), page_count: 1 },
        status: 200,
        body: null,
      }),
    );
    if (committed === undefined || (committed.ok && committed.value.kind === "moved")) {
      this.#moved += committed === undefined ? 0 : 1;
      return undefined;
    }
    return committed.ok
      ? replayed("edit", (committed.value as { readonly replay: DraftReplay }).replay)
      : refusal(committed);
  }

  async #publish(request: DraftRequest, record: TemplateRecord): Promise<string | undefined> {
    const published = await this.#call((object) =>
      object.publish({
        ...request,
        base_revision: record.draft_revision,
        version: {
          id: `tplv_${String(this.#number)}_${String(this.#crashes)}_${String(this.#random.below(1e9))}`,
          content_hash: record.content_hash,
          contract_hash: "c",
          page_count: 1,
          folder: "f/",
          published_at_ms: 1,
        },
      }),
    );
    if (published === undefined || (published.ok && published.value.kind === "moved")) {
      this.#moved += published === undefined ? 0 : 1;
      return undefined;
    }
    if (!published.ok) {
      return refusal(published);
    }
    const { value } = published;
    if (value.kind === "replay") {
      return replayed("publish", value.replay);
    }
    return value.kind === "published"
      ? `${value.is_new ? "201" : "200"} ${etagOf(value.record)} v${String(value.version.revision)}`
      : undefined;
  }

  /** The object against the reference, without faults. */
  async #compare(): Promise<string | undefined> {
    const faults = this.#faults;
    this.#faults = 0;
    const found = await this.#wake().readContent({
      v: 1,
      workspace_id: WORKSPACE,
      if_none_match: null,
    });
    this.#storage.flush();
    this.#faults = faults;
    const { status, name, content, versions, etag } = this.#reference;
    const expected = [
      status,
      name,
      etag,
      versions.length,
      new TextDecoder().decode(bytesOf(content)),
    ];
    const given = found && [
      found.record.status,
      found.record.name,
      etagOf(found.record),
      found.record.latest?.revision ?? 0,
      new TextDecoder().decode(found.content ?? new Uint8Array()),
    ];
    return JSON.stringify(given) === JSON.stringify(expected)
      ? undefined
      : `the object is ${JSON.stringify(given)}, not ${JSON.stringify(expected)}`;
  }

  /** Once the alarm has run, lists show what the object has. */
  async #compareLists(): Promise<string | undefined> {
    this.#evict();
    await this.#call((object) => object.alarm());
    const [row] = this.#lists.rows(
      "SELECT status, name, draft_etag, latest_revision FROM design_templates",
    );
    const versions = this.#lists.rows(
      "SELECT content_hash FROM design_template_versions ORDER BY revision",
    );
    const { status, name, etag, versions: expected } = this.#reference;
    const given = JSON.stringify([row, versions.map(({ content_hash: hash }) => hash)]);
    const wanted = JSON.stringify([
      { status, name, draft_etag: etag, latest_revision: expected.length },
      expected.map(hashOf),
    ]);
    return given === wanted ? undefined : `the lists have ${given}, not ${wanted}`;
  }

  /** One call; undefined if the object died, or its response was lost. */
  async #call<T>(work: (object: TemplateDraftObject) => Promise<T>): Promise<T | undefined> {
    this.#maybeCrash();
    const object = this.#wake();
    const life = this.#life;
    try {
      const value = await work(object);
      this.#maybeCrash();
      if (life !== this.#life) {
        return undefined;
      }
      this.#storage.flush();
      this.#maybeCrash();
      return life === this.#life ? value : undefined;
    } catch (error) {
      if (error instanceof Dead || life !== this.#life) {
        return undefined;
      }
      throw error;
    }
  }

  /** Nothing leaves the object before its writes are durable: if it dies before, the call is not made. */
  #leave(): void {
    const life = this.#life;
    this.#maybeCrash();
    if (life !== this.#life) {
      throw new Dead();
    }
    this.#storage.flush();
    this.#maybeCrash();
  }

  #maybeCrash(): void {
    if (this.#random.chance(this.#faults)) {
      this.#crashes += 1;
      this.#evict();
    }
  }

  #evict(): void {
    this.#storage.crash();
    this.#object = undefined;
    this.#life += 1;
  }

  #wake(): TemplateDraftObject {
    this.#object ??= wakeTemplate(this.#storage, this.#env);
    return this.#object;
  }
}

function etagOf({ draft_revision, content_hash }: TemplateRecord): string {
  return `dd-draft-r${String(draft_revision)}-${content_hash.slice(0, 16)}`;
}

function replayed(
  kind: string,
  { status, etag, body }: { status: number; etag: string; body: string | null },
): string {
  const version = kind === "publish" ? ` v${String(JSON.parse(body ?? "{}").revision)}` : "";
  return `${String(status)} ${etag}${version}`;
}

function refusal({
  code,
  headers,
}: {
  readonly code: string;
  readonly headers?: Readonly<Record<string, string>>;
}): string {
  return headers?.["etag"] === undefined ? code : `${code} ${headers["etag"]}`;
}
