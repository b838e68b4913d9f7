/**
 * What workflows pin while a template is published, archived and published again, over the real rows in SQLite: the modules
 * that save pins and that fetch what a run prints.
 */
import { createHash } from "node:crypto";
import type { ReferencedTemplate } from "../../../src/contracts/templates/template-reference.ts";
import { storedPins, type TemplatePin } from "../../../src/contracts/templates/template-pins.ts";
import type { TemplateRecord } from "../../../src/contracts/templates/template-object-api.ts";
import type { ReferenceContext } from "../../../src/domain/references/reference-context.ts";
import { resolveTemplates } from "../../../src/domain/references/resolve-templates.ts";
import { contractOfDraft } from "../../../src/domain/templates/load-revision.ts";
import { pinTemplates } from "../../../src/domain/templates/pin-templates.ts";
import { isJsonObject, type JsonValue } from "../../../src/lib/json/exact-json.ts";
import { TemplateRows } from "../../../src/storage/d1/template-rows.ts";
import { SimulatedLists } from "./simulated-lists.ts";

const WORKSPACE = `ws_${"0".repeat(32)}`;
const TEMPLATE = `tpl_${"1".repeat(32)}`;
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

interface Statement {
  readonly says: string;
  readonly given: unknown;
  readonly expected: unknown;
}

/** The statements that are not true. */
export async function pinStory(): Promise<readonly string[]> {
  const lists = new SimulatedLists(
    () => undefined,
    () => undefined,
  );
  try {
    const statements = await tell(lists);
    return statements
      .filter(({ given, expected }) => JSON.stringify(given) !== JSON.stringify(expected))
      .map(({ says, given }) => `${says}, but it is ${JSON.stringify(given)}`);
  } finally {
    lists.close();
  }
}

async function tell(lists: SimulatedLists): Promise<readonly Statement[]> {
  const files = new Map<string, string>();
  const FILES = {
    get: (key: string) => {
      const text = files.get(key);
      return Promise.resolve(text === undefined ? null : { text: () => Promise.resolve(text) });
    },
  };
  const ctx = {
    env: { DB: lists.binding, FILES },
    principal: { workspaceId: WORKSPACE },
    nowMs: () => 0,
    waitUntil: () => undefined,
  } as unknown as ReferenceContext;
  const rows = new TemplateRows({ DB: lists.binding }, WORKSPACE);
  let record: TemplateRecord = {
    id: TEMPLATE,
    workspace_id: WORKSPACE,
    name: "Label",
    description: "",
    tags: [],
    status: "draft",
    source: null,
    draft_revision: 1,
    content_hash: sha256("0"),
    page_count: 1,
    content_changed_at_ms: 0,
    latest: null,
    created_at_ms: 0,
    updated_at_ms: 0,
  };
  await rows.insert(record, undefined);
  let changes = 1;
  const update = async (change: Partial<TemplateRecord>) => {
    record = { ...record, ...change };
    changes += 1;
    const versions = change.latest ? [change.latest] : [];
    await rows.update(record, { objectRevision: changes, deletedAtMs: 0, versions });
  };
  const publish = async (revision: number) => {
    const page = { id: `00000000-0000-4000-8000-${String(revision).padStart(12, "0")}` };
    const document = { schemaVersion: "2.0", pages: [{ ...page, width: 100, height: 100 }] };
    const text = JSON.stringify(document);
    const content_hash = sha256(text);
    const bytes = new TextEncoder().encode(text);
    const { contract, hash } = await contractOfDraft(WORKSPACE, content_hash, bytes);
    const folder = `${WORKSPACE}/templates/${TEMPLATE}/${revision}/`;
    files.set(`${folder}contract.json`, JSON.stringify(contract));
    const latest = {
      id: `tplv_${revision}`,
      revision,
      content_hash,
      contract_hash: hash,
      page_count: 1,
      folder,
      published_at_ms: revision,
    };
    await update({ status: "published", latest });
    return latest;
  };

  const one = await publish(1);
  const saved = await pinTemplates(ctx, definition("a"));
  await publish(2);
  const again = await pinTemplates(ctx, definition("a", "b"), previous(saved));
  const pinnedPdf = await pinTemplates(ctx, nodes({ id: "a", type: "document/pdf", revision: 1 }));
  const toRender = await pinTemplates(ctx, definition("a"), previous(pinnedPdf));
  const toPdf = await pinTemplates(ctx, nodes({ id: "a", type: "document/pdf" }), previous(saved));
  const back = await pinTemplates(ctx, definition("a"), previous(toPdf));
  const wrong = await pinTemplates(ctx, nodes({ id: "a", revision: "1" }));
  const righted = await pinTemplates(ctx, definition("a"), previous(wrong));
  await update({ status: "archived" });
  const archived = await pinTemplates(ctx, definition("a", "c"), previous(again));
  await update({ status: "published" });

  const frozen: TemplatePin = {
    template_id: TEMPLATE,
    named: "current",
    revision: 1,
    version_id: one.id,
    content_hash: `sha256:${one.content_hash}`,
    contract_hash: `sha256:${one.contract_hash}`,
    fields: [],
  };
  const printed = async (pin: TemplatePin) => {
    const pins = { of: "version", list: [pin] } as const;
    const reference = { kind: "template", id: TEMPLATE, revision: "current", path: "x" } as const;
    const [found] = await resolveTemplates({ ...ctx, pins }, [reference]);
    return found?.content as unknown as ReferencedTemplate | undefined;
  };
  const run = await printed(frozen);
  const changed = await Promise.all(
    (["version_id", "content_hash", "contract_hash"] as const).map((member) =>
      printed({ ...frozen, [member]: "another" }),
    ),
  );
  return [
    { says: "a new node pins the current revision", given: pinsOf(saved), expected: { a: 1 } },
    {
      says: "a node keeps its pin when it is saved again, and a new one has the current revision",
      given: pinsOf(again),
      expected: { a: 1, b: 2 },
    },
    {
      says: "a node that becomes a design/template_render keeps the revision that it had",
      given: pinsOf(toRender),
      expected: { a: 1 },
    },
    {
      says: "a node that becomes a document/pdf without a revision prints the draft, and has the current one when it is changed back",
      given: [pinsOf(toPdf), pinsOf(back)],
      expected: [{ a: null }, { a: 2 }],
    },
    {
      says: "a revision that is not a number stays as it was sent, and is not a pin",
      given: [pinsOf(wrong), pinsOf(righted)],
      expected: [{ a: "1" }, { a: 2 }],
    },
    {
      says: "a node keeps its pin of an archived template, and a new one has none",
      given: pinsOf(archived),
      expected: { a: 1, c: null },
    },
    {
      says: "what was frozen with a pin is kept while the template is archived",
      given: archived.pins.map(({ version_id }) => version_id),
      expected: ["tplv_1"],
    },
    {
      says: "a run prints the revision that was current at the publication",
      given: [run?.revision, run?.unavailable],
      expected: [1, undefined],
    },
    {
      says: "a run refuses a revision that is not the one that was frozen",
      given: changed.map((content) => content?.unavailable !== undefined),
      expected: [true, true, true],
    },
  ];
}

function definition(...ids: readonly string[]): JsonValue {
  return nodes(...ids.map((id) => ({ id })));
}

function nodes(
  ...all: readonly { readonly id: string; readonly type?: string; readonly revision?: JsonValue }[]
): JsonValue {
  const made = all.map(({ id, type = "design/template_render", revision }) => ({
    id,
    type,
    parameters: {
      template_id: TEMPLATE,
      ...(revision !== undefined && { template_revision: revision }),
    },
  }));
  return { nodes: made, connections: [] };
}

type Saved = Awaited<ReturnType<typeof pinTemplates>>;

function previous({ definition: saved, pins }: Saved) {
  return { text: JSON.stringify(saved), templatePins: storedPins(pins) };
}

/** The revision of each node; null for none. */
function pinsOf({ definition: saved }: Saved): Readonly<Record<string, unknown>> {
  const all = (isJsonObject(saved) ? saved["nodes"] : []) as readonly {
    readonly id: string;
    readonly parameters: { readonly template_revision?: JsonValue };
  }[];
  return Object.fromEntries(
    all.map(({ id, parameters }) => [id, parameters.template_revision ?? null]),
  );
}
