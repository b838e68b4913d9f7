/** Items that name assets: what is refused, and how many statements it takes (docs/contract/batches.md#creation). */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { call, newCaller, type Reply } from "../../support/api-caller.ts";
import { upload } from "../../support/asset-form.ts";
import { counted } from "../../support/counted-database.ts";
import { HAS_SHARDS } from "../../support/home-database.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { BATCHES, BatchFixture } from "./batch-fixture.ts";

const ITEMS = 150;
const DOCUMENTS = {
  nodes: [
    { id: "d", type: "input/document", label: "doc" },
    { id: "m", type: "input/document", label: "more", parameters: { required: false } },
    { id: "out", type: "output/document", label: "out" },
  ],
  connections: [{ from: { node: "d", port: "document" }, to: { node: "out", port: "document" } }],
};

let batches: BatchFixture;
let workflow: string;
let own: string;
let theirs: string;

beforeAll(async () => {
  batches = new BatchFixture(await newCaller());
  workflow = await publishedWorkflow(batches.caller, DOCUMENTS);
  own = String((await upload(batches.caller, "own.txt", "words")).json.path);
  theirs = String((await upload(await newCaller(), "theirs.txt", "words")).json.path);
});

/** Of three items one names a file that is there, one another workspace's, and one a file of its own that is not there. */
const pathOf = (at: number) => [own, theirs, `assets/none/${String(at)}.txt`][at % 3] ?? "";

/** The answer, and the number of statements that look assets of items up. */
async function asked(path: string, body: unknown): Promise<{ reply: Reply; statements: number }> {
  const name = HAS_SHARDS ? "DB_1" : "DB";
  const { db, texts } = counted(HAS_SHARDS ? env["DB_1"]! : env.DB);
  const { token } = batches.caller;
  const reply = await call("POST", BATCHES + path, {
    token,
    env: { [name]: db },
    ...(typeof body === "string"
      ? { body, headers: { "content-type": "application/json" } }
      : { json: body }),
  });
  return { reply, statements: texts.filter((text) => /json_each|path = \?/.test(text)).length };
}

const itemsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ inputs: { doc: { asset_path: pathOf(at) } } }));

describe("assets of items", () => {
  test("are looked up a hundred items at a time, and each item has its own problem", async () => {
    const { reply, statements } = await asked("", { workflow, items: itemsOf(ITEMS) });
    expect([reply.status, reply.json.code, reply.json.errors.length]).toEqual([
      400,
      "validation_error",
      100,
    ]);
    const [other, none] = reply.json.errors;
    expect([other.field, none.field]).toEqual([
      "items[1].inputs.doc.asset_path",
      "items[2].inputs.doc.asset_path",
    ]);
    expect([other.message, none.message]).toEqual([
      expect.stringContaining("belongs to another workspace"),
      expect.stringContaining('there is no asset "assets/none/2.txt"'),
    ]);
    expect(statements).toBe(2);
  });

  test("are the same in the rows of a dataset", async () => {
    const rows = Array.from({ length: ITEMS }, (_, at) => pathOf(at)).join("\n");
    const asset_path = String(
      (await upload(batches.caller, "rows.csv", `File\n${rows}\n`)).json.path,
    );
    const dataset = { asset_path, mapping: { doc: "File" } };
    const { reply, statements } = await asked("/estimate", { workflow, dataset });
    expect([reply.status, reply.json.total_items, reply.json.invalid_items]).toEqual([
      200,
      ITEMS,
      100,
    ]);
    // One for the dataset itself.
    expect(statements).toBeLessThanOrEqual(3);
  });

  test("that all items have in common are looked up once", async () => {
    const more = { asset_path: own };
    const items = Array.from({ length: ITEMS }, () => ({ inputs: { more } }));
    const common_inputs = { doc: { asset_path: own } };
    const { reply, statements } = await asked("/estimate", {
      workflow,
      common_inputs,
      items,
    });
    expect([reply.status, reply.json.invalid_items]).toEqual([200, 0]);
    expect(statements).toBe(1);
  });

  test("are found however the body spells them", async () => {
    const text = JSON.stringify({ workflow, on_invalid_item: "fail_item", items: itemsOf(6) })
      .replaceAll("asset_path", String.raw`asset_p\u0061th`)
      .replaceAll("assets/", String.raw`assets\/`);
    const { reply } = await asked("/estimate", text);
    expect([reply.status, reply.json.invalid_items]).toEqual([200, 4]);
  });
});
