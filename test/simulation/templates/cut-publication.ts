/**
 * A publication by the API's own code, over the real object of a template and rows in SQLite, that is cut off at one of its steps:
 * each call to the object, the store, the renderer and the lists. The caller then repeats its request with the same key.
 */
import { createHash } from "node:crypto";
import type { TemplateDraftObject } from "../../../durable-objects/template-draft/template-draft-object.ts";
import type { TemplateDraftApi } from "../../../src/contracts/templates/template-object-api.ts";
import { publishTemplate } from "../../../src/domain/templates/publish-template.ts";
import { contractHash, parseContract } from "../../../src/domain/templates/stored-contract.ts";
import type { CallerContext } from "../../../src/platform/context.ts";
import { TemplateRows } from "../../../src/storage/d1/template-rows.ts";
import { Dead, SimulatedStorage } from "../object/simulated-storage.ts";
import { SimulatedLists } from "./simulated-lists.ts";
import { templateEnv, wakeTemplate } from "./wake-template.ts";

const WORKSPACE = `ws_${"0".repeat(32)}`;
const TEMPLATE = `tpl_${"1".repeat(32)}`;
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/**
 * How a step ends: its object dies before its effect or after it, or the effect does not happen and is an error, or it
 * happens and its response is lost. Or it takes hours, in which the alarm of the template's object fires.
 */
export const CUTS = ["dies before", "dies after", "fails", "is lost", "takes hours"] as const;
/** By then files that no revision has taken are due. */
const LATER_MS = 2 * 60 * 60_000;

export interface Cut {
  readonly step: number;
  readonly how: (typeof CUTS)[number];
}

export interface CutVerdict {
  /** What is not as it must be, after the repeat. */
  readonly problems: readonly string[];
  /** The steps of the first request. */
  readonly steps: readonly string[];
  /** How the first request ended: `died`, `error`, or the status of its response. */
  readonly first: string;
  /** Files that belong to no revision, after the repeat and hours later. */
  readonly leftFiles: number;
  readonly leftFilesLater: number;
}

function documentOf(number: number): Uint8Array {
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  const pages = [{ id, width: 100, height: 100, elements: [] }];
  return new TextEncoder().encode(JSON.stringify({ schemaVersion: "2.0", pages }));
}

/** Publishes revision `revision`, after those before it were published without a fault. */
export async function cutPublication(revision: number, cut: Cut | undefined): Promise<CutVerdict> {
  const world = new PublishedWorld();
  try {
    return await world.run(revision, cut);
  } finally {
    world.close();
  }
}

class PublishedWorld {
  readonly #storage = new SimulatedStorage();
  readonly #files = new Map<string, Uint8Array>();
  readonly #lists = new SimulatedLists(
    () => {
      // Nothing leaves the object before its writes are durable.
      this.#storage.flush();
      this.#beforeListing();
    },
    () => {
      this.#afterListing();
    },
  );
  readonly #env = templateEnv(this.#lists.binding, {
    delete: (keys: readonly string[]) => {
      // Nothing leaves the object before its writes are durable.
      this.#storage.flush();
      keys.forEach((key) => this.#files.delete(key));
      return Promise.resolve();
    },
  });
  #object: TemplateDraftObject | undefined;
  #cut: Cut | undefined;
  #steps: string[] = [];
  #isInObject = false;
  /** How the call to the lists is cut that is under way. */
  #listing: Cut["how"] | undefined;
  /** Ends the request whose isolate dies. */
  #die = () => {};

  close(): void {
    this.#storage.close();
    this.#lists.close();
  }

  async run(revision: number, cut: Cut | undefined): Promise<CutVerdict> {
    await this.#create();
    for (let before = 1; before < revision; before += 1) {
      await this.#publish(`key ${before}`);
      await this.#edit(before);
    }
    this.#cut = cut;
    this.#steps = [];
    const first = await this.#publish("the key");
    const steps = [...this.#steps];
    this.#cut = undefined;
    await this.#onObject((object) => object.alarm());
    const repeated = await this.#publish("the key");
    const soon = await this.#judge(revision);
    await this.#passHours();
    const later = await this.#judge(revision);
    return {
      problems: [
        ...soon.problems,
        ...later.problems.map((problem) => `later: ${problem}`),
        ...(repeated === "201" ? [] : [`the repeat ended with ${repeated}`]),
        ...(first === "200" ? ["the first request found its own revision"] : []),
      ],
      steps,
      first,
      leftFiles: soon.leftFiles,
      leftFilesLater: later.leftFiles,
    };
  }

  /** The clock moves on, and the object's alarm fires at each time that it is set to. */
  async #passHours(): Promise<void> {
    const now = Date.now;
    const endMs = now() + LATER_MS;
    try {
      for (let atMs = this.#storage.alarmMs; atMs !== null && atMs <= endMs;) {
        const firedAtMs = atMs;
        Date.now = () => firedAtMs;
        this.#storage.placeAlarm(null);
        await this.#onObject((object) => object.alarm());
        atMs = this.#storage.alarmMs;
      }
    } finally {
      Date.now = now;
    }
  }

  async #create(): Promise<void> {
    const content = documentOf(0);
    const record = await this.#onObject((object) =>
      object.create({
        v: 1,
        id: TEMPLATE,
        workspace_id: WORKSPACE,
        name: "Label",
        description: "",
        tags: [],
        source: null,
        content,
        content_hash: sha256(content),
        page_count: 1,
        created_at_ms: Date.now(),
      }),
    );
    await new TemplateRows({ DB: this.#lists.binding }, WORKSPACE).insert(record, undefined);
  }

  async #edit(number: number): Promise<void> {
    const content = documentOf(number);
    await this.#onObject((object) =>
      object.commit({
        v: 1,
        workspace_id: WORKSPACE,
        idempotency: { key: `edit ${number}`, fingerprint: "" },
        if_match: "*",
        base_revision: number,
        change: { content, content_hash: sha256(content), page_count: 1 },
        status: 200,
        body: null,
      }),
    );
  }

  /** A request, until it has a response or an error, or its isolate has died. */
  async #publish(key: string): Promise<string> {
    let isAlive = true;
    const died = new Promise<string>((resolve) => {
      this.#die = () => {
        isAlive = false;
        resolve("died");
      };
    });
    const publishing = publishTemplate(
      this.#context(() => isAlive),
      TEMPLATE,
      { creation: { route: "POST publish", key, fingerprint: "" } as never, ifMatch: "*" },
    ).then(
      ({ status }) => String(status),
      () => "error",
    );
    return await Promise.race([publishing, died]);
  }

  #context(isAlive: () => boolean): CallerContext {
    const step = async <T>(name: string, effect: () => Promise<T> | T): Promise<T> => {
      if (!isAlive()) {
        return await never();
      }
      const how = this.#cutOf(name);
      if (how === "dies before") {
        this.#die();
        return await never();
      }
      if (how === "fails") {
        throw new Error(`${name} failed`);
      }
      if (how === "takes hours") {
        await this.#passHours();
      }
      const value = await effect();
      if (how === "dies after") {
        this.#die();
      }
      if (how === "is lost") {
        throw new Error(`the response of ${name} was lost`);
      }
      return isAlive() ? value : await never();
    };
    const called = <T>(name: string, work: (object: TemplateDraftObject) => Promise<T>) =>
      step(`object.${name}`, () => this.#onObject(work));
    const object: Pick<TemplateDraftApi, "announceFiles" | "open" | "publish" | "read"> = {
      open: (request) => called("open", (one) => one.open(request)),
      announceFiles: (request) => called("announceFiles", (one) => one.announceFiles(request)),
      publish: (request) => called("publish", (one) => one.publish(request)),
      read: (request) => called("read", (one) => one.read(request)),
    };
    const env = {
      DB: this.#lists.binding,
      TEMPLATE_DRAFT: { idFromName: (name: string) => name, get: () => object },
      FILES: {
        put: (key: string, bytes: Uint8Array) =>
          step(`put ${key.replace(/.*\//, "")}`, () => void this.#files.set(key, bytes.slice())),
        get: (key: string) =>
          step("get", () => {
            const bytes = this.#files.get(key);
            const text = () => Promise.resolve(new TextDecoder().decode(bytes));
            return bytes === undefined ? null : { text };
          }),
        delete: (keys: readonly string[]) =>
          step("delete", () => {
            keys.forEach((key) => this.#files.delete(key));
          }),
      },
      RENDERER: {
        inspect: () =>
          step("inspect", () => ({
            ok: true,
            font_pins: [],
            missing_fonts: [],
            missing_pictures: [],
          })),
        render: () =>
          step("render", () => ({ ok: true, report: { images: [] }, checks: [], pages: [] })),
      },
    };
    return {
      env,
      principal: { workspaceId: WORKSPACE },
      nowMs: () => Date.now(),
      memory: { take: () => Promise.resolve() },
      waitUntil: () => undefined,
    } as unknown as CallerContext;
  }

  /** Counts a step, and says how it is cut. */
  #cutOf(name: string): Cut["how"] | undefined {
    const number = this.#steps.push(name) - 1;
    return this.#cut?.step === number ? this.#cut.how : undefined;
  }

  /** A call of the object to the lists: its death is that of the object. */
  #beforeListing(): void {
    if (!this.#isInObject) {
      return;
    }
    this.#listing = this.#cutOf("lists");
    if (this.#listing === "dies before") {
      this.#evict();
      throw new Dead();
    }
    if (this.#listing === "fails") {
      throw new Error("D1_ERROR: refused");
    }
  }

  #afterListing(): void {
    if (this.#isInObject && this.#listing === "dies after") {
      this.#evict();
      throw new Dead();
    }
    if (this.#isInObject && this.#listing === "is lost") {
      throw new Error("D1_ERROR: the response was lost");
    }
  }

  #evict(): void {
    this.#storage.crash();
    this.#object = undefined;
  }

  /** A call of the object, whose response leaves it when its writes are durable. Throws if it dies meanwhile. */
  async #onObject<T>(work: (object: TemplateDraftObject) => Promise<T>): Promise<T> {
    const object = (this.#object ??= wakeTemplate(this.#storage, this.#env));
    this.#isInObject = true;
    try {
      const value = await work(object);
      if (this.#object !== object) {
        throw new Error("The object was reset.");
      }
      this.#storage.flush();
      return value;
    } finally {
      this.#isInObject = false;
    }
  }

  /** The object, the lists and the files, against what they must be. */
  async #judge(revision: number) {
    const problems: string[] = [];
    const record = await this.#onObject((object) => object.read({ v: 1, workspace_id: WORKSPACE }));
    const latest = record?.latest;
    if (record?.status !== "published" || latest?.revision !== revision) {
      problems.push(`the object is ${record?.status} with revision ${latest?.revision}`);
    }
    const [row] = this.#lists.rows("SELECT status, latest_version_id FROM design_templates");
    if (row?.["status"] !== "published" || row["latest_version_id"] !== latest?.id) {
      problems.push(`the lists have ${JSON.stringify(row)}`);
    }
    const versions = this.#lists.rows(
      "SELECT revision, folder, content_hash, contract_hash FROM design_template_versions ORDER BY revision",
    );
    if (versions.length !== revision) {
      problems.push(`the lists have ${versions.length} revisions`);
    }
    const used = new Set<string>();
    for (const { folder, content_hash, contract_hash, revision: number } of versions) {
      const [document, contract] = ["document", "contract"].map((name) => {
        const key = `${String(folder)}${name}.json`;
        used.add(key);
        return this.#files.get(key);
      });
      if (document === undefined || sha256(document) !== content_hash) {
        problems.push(`revision ${String(number)} has no document`);
      }
      const text = new TextDecoder().decode(contract);
      if (contract === undefined || (await contractHash(parseContract(text))) !== contract_hash) {
        problems.push(`revision ${String(number)} has no contract`);
      }
    }
    const leftFiles = [...this.#files.keys()].filter((key) => !used.has(key)).length;
    return { problems, leftFiles };
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
