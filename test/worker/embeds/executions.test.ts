/** docs/contract/embeds.md#config, #caps and #executions. */
import { describe, expect, test } from "vitest";
import { call, newCaller, operator } from "../../support/api-caller.ts";
import {
  check,
  EMBED_ORIGINS,
  mint,
  mintEditor,
  newEmbedCaller,
  submitEmbed,
} from "../../support/embeds/embed-caller.ts";
import { CODES } from "../../support/paid-definitions.ts";
import { ECHO_DEFINITION, publishedWorkflow } from "../../support/published-workflow.ts";

const INTERFACE = `int_${"1".repeat(32)}`;
const OTHER_INTERFACE = `int_${"2".repeat(32)}`;

const FORM_DEFINITION = {
  nodes: [
    {
      id: "words",
      type: "input/text",
      label: "Words",
      parameters: { required: true, description: "What to say", multiline: true, max_length: 40 },
    },
    {
      id: "count",
      type: "input/number",
      label: "Count",
      parameters: { default: 3, min: 1, max: 9 },
    },
    { id: "photo", type: "input/image", label: "Photo", parameters: { required: false } },
    {
      id: "rows",
      type: "input/csv",
      label: "Rows",
      parameters: { required: false, csvConfig: { columns: [] } },
    },
    { id: "said", type: "output/text", label: "Said", parameters: {} },
    { id: "seen", type: "output/image", label: "Seen", parameters: {} },
  ],
  connections: [
    { from: { node: "words", port: "text" }, to: { node: "said", port: "text" } },
    { from: { node: "photo", port: "image" }, to: { node: "seen", port: "image" } },
  ],
  interfaces: [
    {
      id: INTERFACE,
      name: "Say it",
      description: "One field",
      fields: [
        {
          key: "what",
          label: "What",
          type: "enum",
          required: true,
          category: "Words",
          constraints: { allowed_values: ["yes", "no"] },
          bind: { node: "words" },
        },
      ],
      outputs: [{ key: "said", label: "The words", node: "said" }],
    },
    {
      id: OTHER_INTERFACE,
      name: "Other",
      fields: [{ key: "words", type: "text", bind: { node: "words" } }],
      outputs: [{ key: "said", node: "said" }],
    },
  ],
};

interface Choice {
  readonly code: string;
  readonly name: string;
  readonly thumbnail: string | null;
}

const MEDIA = ["image", "video", "audio", "document", "model3d"] as const;

/** Each kind of file, and a node with a preset and an effect. */
const CATALOG_DEFINITION = {
  nodes: [
    ...MEDIA.map((kind) => ({
      id: kind,
      type: `input/${kind}`,
      label: kind,
      parameters: { required: false },
    })),
    { id: "ad", type: "ai/ad_generator", parameters: {} },
    { id: "other", type: "ai/ad_generator", parameters: {} },
    { id: "seen", type: "output/image", label: "Seen", parameters: {} },
  ],
  connections: [
    { from: { node: "image", port: "image" }, to: { node: "ad", port: "product" } },
    { from: { node: "image", port: "image" }, to: { node: "other", port: "product" } },
    { from: { node: "ad", port: "result" }, to: { node: "seen", port: "image" } },
  ],
  interfaces: [
    {
      id: INTERFACE,
      name: "Ad",
      fields: [
        {
          key: "layout",
          label: "Layout",
          type: "preset",
          bind: { node: "ad", parameter: "preset" },
        },
        { key: "look", label: "Look", type: "effect", bind: { node: "ad", parameter: "effect" } },
        {
          key: "some",
          label: "Some",
          type: "preset",
          constraints: { allowed_values: ["bold_type"] },
          bind: { node: "other", parameter: "preset" },
        },
      ],
      outputs: [{ key: "seen", label: "Seen", node: "seen" }],
    },
  ],
};

/** For CODES: two rows cost 40 milli-credits. */
const ROWS = { inputs: { rows: { value: '["a","b"]' } } };

const answer = ({ status, json }: { status: number; json: { code?: string; reason?: string } }) => [
  status,
  json.code,
];

describe("the config", () => {
  test("has exactly the members of the contract, for the default interface", async () => {
    const caller = await newEmbedCaller({}, FORM_DEFINITION);
    const { token, expires_at } = await mint(caller, { max_executions: 4, end_user_id: "ann" });
    await check(token);
    const { status, json, text } = await call("GET", "/api/embed/config", { token });
    expect(status, text).toBe(200);
    const { fields, ...rest } = json;
    expect(rest).toEqual({
      protocol: ["1"],
      workflow: { id: caller.workflowId, name: "Test", description: "", version: 1 },
      interface: null,
      outputs: [
        { key: "said", label: "Said", type: "text", cardinality: "single" },
        { key: "seen", label: "Seen", type: "image", cardinality: "single" },
      ],
      executions: { max: 4, used: 1, remaining: 3 },
      allowed_origins: EMBED_ORIGINS,
      end_user_id: "ann",
      expires_at,
      can: { execute: true, upload: true },
    });
    expect(fields).toEqual([
      {
        key: "words",
        label: "Words",
        description: "What to say",
        type: "text",
        required: true,
        multiline: true,
        max_length: 40,
      },
      {
        key: "count",
        label: "Count",
        description: "",
        type: "number",
        required: false,
        default_value: "3",
        constraints: { min: 1, max: 9 },
      },
      {
        key: "photo",
        label: "Photo",
        description: "",
        type: "image",
        required: false,
        accept: [".png", ".jpg", ".jpeg", ".webp", ".gif", ".avif", ".svg"],
        max_size_bytes: 262_144_000,
      },
      {
        key: "rows",
        label: "Rows",
        description: "",
        type: "data",
        required: false,
        accept: [".csv", ".tsv", ".txt"],
        max_size_bytes: 262_144_000,
      },
    ]);
    expect(text).not.toContain(caller.workspaceId);
    expect(text).not.toContain(caller.organizationId);
    expect(text).not.toContain(caller.clientId);
  });

  test("has the fields and outputs of an interface, by token or by query", async () => {
    const caller = await newEmbedCaller({}, FORM_DEFINITION);
    const free = await mint(caller);
    const fixed = await mint(caller, { interface: INTERFACE });
    const byQuery = await call("GET", `/api/embed/config?interface=${INTERFACE}`, free);
    const byToken = await call("GET", "/api/embed/config", fixed);
    for (const { json } of [byQuery, byToken]) {
      expect(json.interface).toEqual({ id: INTERFACE, name: "Say it", description: "One field" });
      expect(json.fields).toEqual([
        {
          key: "what",
          label: "What",
          description: "",
          type: "enum",
          required: true,
          category: "Words",
          constraints: { allowed_values: ["yes", "no"] },
          multiline: true,
          max_length: 40,
          options: [
            { code: "yes", name: "yes" },
            { code: "no", name: "no" },
          ],
        },
      ]);
      expect(json.outputs).toEqual([
        { key: "said", label: "The words", type: "text", cardinality: "single" },
      ]);
      expect(json.executions).toEqual({ max: null, used: 0, remaining: null });
    }
    const other = `/api/embed/config?interface=${OTHER_INTERFACE}`;
    expect(answer(await call("GET", other, fixed))).toEqual([403, "forbidden"]);
    expect((await call("GET", other, free)).status).toBe(200);
    const unknown = await call("GET", "/api/embed/config?interface=int_x", free);
    expect(answer(unknown)).toEqual([400, "validation_error"]);
    expect(unknown.json.errors[0].message).toContain(INTERFACE);
    const refusedMint = await call("POST", "/api/v1/embed/tokens", {
      token: caller.token,
      json: {
        workflow: caller.workflowId,
        allowed_origins: EMBED_ORIGINS,
        interface: "int_x",
      },
    });
    expect(answer(refusedMint)).toEqual([400, "validation_error"]);
    for (const id of [INTERFACE, OTHER_INTERFACE]) {
      expect(refusedMint.json.errors[0]).toMatchObject({ field: "interface" });
      expect(refusedMint.json.errors[0].message).toContain(id);
    }
    const strange = await call("GET", "/api/embed/config?interfaces=x", free);
    expect([...answer(strange), strange.json.errors[0].field]).toEqual([
      400,
      "validation_error",
      "interfaces",
    ]);
  });

  test("offers presets and effects as the catalog lists them, and for each kind of file its extensions", async () => {
    const caller = await newEmbedCaller({}, CATALOG_DEFINITION);
    const { token } = await mint(caller, { interface: INTERFACE });
    const { json, text } = await call("GET", "/api/embed/config", { token });
    const listed = async (path: string) => {
      const reply = await call("GET", path, { token: caller.token });
      const choices: Choice[] = reply.json.data;
      return choices.map(({ code, name, thumbnail }) => ({
        code,
        name,
        ...(thumbnail !== null && { thumbnail }),
      }));
    };
    const optionsOf = (key: string) =>
      json.fields.find((field: { key: string }) => field.key === key)?.options;
    const presets = await listed("/api/v1/presets?category=ad_layout");
    const effects = await listed("/api/v1/effects");
    expect([presets.length > 1, effects.length > 1], text).toEqual([true, true]);
    expect(optionsOf("layout")).toEqual(presets);
    expect(optionsOf("look")).toEqual(effects);
    expect(optionsOf("some")).toEqual(presets.filter(({ code }) => code === "bold_type"));
    const whole = await call("GET", "/api/embed/config", await mint(caller));
    const accepted = Object.fromEntries(
      whole.json.fields.map(({ type, accept }: { type: string; accept?: string[] }) => [
        type,
        accept?.map((extension) => extension.slice(1)).join(" "),
      ]),
    );
    const data = "csv tsv json ndjson jsonl xlsx";
    expect(accepted).toMatchObject({
      image: "png jpg jpeg webp gif avif svg",
      video: "mp4 mov webm",
      audio: "mp3 wav flac ogg opus m4a aac",
      document: `pdf txt srt vtt ${data}`,
      model3d: "glb gltf obj stl usdz",
    });
  });

  test("fixes the interface of a run as that of the form", async () => {
    const caller = await newEmbedCaller({}, FORM_DEFINITION);
    const free = await mint(caller);
    const fixed = await mint(caller, { interface: INTERFACE });
    const yes = { inputs: { what: { value: '"yes"' } } };
    const words = { inputs: { words: { value: '"x"' } } };
    const submit = (token: string, body: object) => submitEmbed(token, body);
    const other = await submit(fixed.token, { ...words, interface: OTHER_INTERFACE });
    expect(answer(other)).toEqual([403, "forbidden"]);
    const unknown = await submit(free.token, { ...words, interface: "int_x" });
    expect(answer(unknown)).toEqual([400, "validation_error"]);
    const runs = [
      await submit(fixed.token, yes),
      await submit(fixed.token, { ...yes, interface: INTERFACE }),
      await submit(free.token, { ...words, interface: OTHER_INTERFACE }),
      await submit(free.token, words),
    ];
    expect(runs.map(({ status, json }) => [status, json.interface])).toEqual([
      [202, INTERFACE],
      [202, INTERFACE],
      [202, OTHER_INTERFACE],
      [202, null],
    ]);
    const strange = await submit(free.token, { ...words, more: 1 });
    expect(answer(strange)).toEqual([400, "validation_error"]);
  });

  test("follows the workflow: another version, not published any more, deleted", async () => {
    const caller = await newEmbedCaller();
    const minted = await mint(caller);
    const path = `/api/v1/workflows/${caller.workflowId}`;
    await call("POST", `${path}/revert`, { token: caller.token, json: {} });
    expect(answer(await call("GET", "/api/embed/config", minted))).toEqual([
      400,
      "workflow_not_published",
    ]);
    expect(answer(await submitEmbed(minted.token))).toEqual([400, "workflow_not_published"]);
    await call("DELETE", path, { token: caller.token });
    expect(answer(await call("GET", "/api/embed/config", minted))).toEqual([404, "not_found"]);
    expect(answer(await submitEmbed(minted.token))).toEqual([404, "not_found"]);
  });
});

describe("caps", () => {
  test("of 40 parallel checks at a cap of 7, seven succeed, each with a permit of its own", async () => {
    const caller = await newEmbedCaller();
    const { token } = await mint(caller, { max_executions: 7 });
    const replies = await Promise.all(Array.from({ length: 40 }, () => check(token)));
    const allowed = replies.filter(({ status }) => status === 200);
    expect(allowed.length).toBe(7);
    expect(new Set(allowed.map(({ json }) => json.permit)).size).toBe(7);
    for (const { json } of allowed) {
      expect(Object.keys(json).toSorted()).toEqual(["allowed", "executions", "permit"]);
      expect(json.permit).toMatch(/^prm_[0-9a-f]{32}$/);
      expect(json.executions.used + json.executions.remaining).toBe(7);
    }
    const refused = replies.find(({ status }) => status !== 200);
    expect(answer(refused!)).toEqual([403, "execution_cap_exceeded"]);
    expect(refused!.json.executions).toEqual({ max: 7, used: 7, remaining: 0 });
  });

  test("a permit is good for one submit, and a refused submit leaves it usable", async () => {
    const caller = await newEmbedCaller();
    const { token } = await mint(caller, { max_executions: 1 });
    const { permit } = (await check(token)).json;
    const wrong = await submitEmbed(token, { inputs: { nothing: { value: "1" } }, permit });
    expect(answer(wrong)).toEqual([400, "validation_error"]);
    const replies = await Promise.all(
      Array.from({ length: 5 }, () =>
        submitEmbed(token, { inputs: { words: { value: '"hi"' } }, permit }),
      ),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      202, 403, 403, 403, 403,
    ]);
    const again = await submitEmbed(token, { inputs: { words: { value: '"hi"' } }, permit });
    expect(answer(again)).toEqual([403, "execution_cap_exceeded"]);
    const unknown = await submitEmbed(token, { permit: `prm_${"0".repeat(32)}` });
    expect(answer(unknown)).toEqual([403, "execution_cap_exceeded"]);
  });

  test("a submit without a permit takes one, gives it back only when refused, and a replay takes none", async () => {
    const caller = await newEmbedCaller();
    const { token } = await mint(caller, { max_executions: 2 });
    const used = async () =>
      (await call("GET", "/api/embed/config", { token })).json.executions.used;
    expect(answer(await submitEmbed(token, {}))).toEqual([400, "validation_error"]);
    expect(await used()).toBe(0);
    const key = { "idempotency-key": "the-first-run" };
    const first = await submitEmbed(token, undefined, key);
    expect(first.status, first.text).toBe(202);
    const replay = await submitEmbed(token, undefined, key);
    expect([replay.status, replay.headers.get("idempotency-replayed"), replay.json.id]).toEqual([
      202,
      "true",
      first.json.id,
    ]);
    expect(await used()).toBe(1);
    const conflict = await submitEmbed(token, { inputs: { words: { value: '"other"' } } }, key);
    expect(answer(conflict)).toEqual([409, "idempotency_conflict"]);
    expect((await submitEmbed(token)).status).toBe(202);
    expect(answer(await submitEmbed(token))).toEqual([403, "execution_cap_exceeded"]);
    expect((await submitEmbed(token, undefined, key)).status).toBe(202);
    // The key is the token's own.
    const other = await mint(caller);
    const fresh = await submitEmbed(other.token, undefined, key);
    expect([fresh.status, fresh.headers.get("idempotency-replayed")]).toEqual([202, null]);
    expect(fresh.json.id).not.toBe(first.json.id);
  });

  test("a refusal for lack of credits gives the unit back, unless a failed run was committed, and names no amounts", async () => {
    const caller = await newEmbedCaller({}, CODES);
    await operator("PUT", "/admin/v1/plans/poor", {
      name: "Poor",
      limits: { max_credits_per_month: 0 },
    });
    await operator("PUT", `/admin/v1/workspaces/${caller.workspaceId}/plan`, { plan: "poor" });
    const { token } = await mint(caller, { max_executions: 2 });
    const used = async () =>
      (await call("GET", "/api/embed/config", { token })).json.executions.used;
    const bare = await submitEmbed(token, ROWS);
    expect(answer(bare), bare.text).toEqual([402, "insufficient_credits"]);
    expect(await used()).toBe(0);
    const keyed = await submitEmbed(token, ROWS, { "idempotency-key": "one-paid-run" });
    expect(answer(keyed)).toEqual([402, "insufficient_credits"]);
    expect(await used()).toBe(1);
    const id = keyed.json.execution_id;
    const run = await call("GET", `/api/embed/executions/${id}`, { token });
    const result = await call("GET", `/api/embed/executions/${id}/result`, { token });
    expect([run.status, run.json.status, run.json.error_code]).toEqual([
      200,
      "failed",
      "insufficient_credits",
    ]);
    for (const { text } of [bare, keyed, run, result]) {
      expect(text).not.toMatch(/milli|balance|credits_used/);
    }
  });

  test("without a cap it counts, always allows, and gives no permit", async () => {
    const caller = await newEmbedCaller();
    const { token } = await mint(caller);
    await check(token);
    expect((await check(token)).json).toEqual({
      allowed: true,
      permit: null,
      executions: { max: null, used: 2, remaining: null },
    });
    const body = await call("POST", "/api/embed/check-execution", { token, json: { max: 1 } });
    expect(answer(body)).toEqual([400, "validation_error"]);
  });
});

describe("runs of an embed", () => {
  test("carry the person and the token, on /api/v1 too, which filters by both", async () => {
    const caller = await newEmbedCaller();
    const minted = await mint(caller, { end_user_id: "ann" });
    const run = await submitEmbed(minted.token, undefined, { prefer: "wait=30" });
    expect(run.json, run.text).toMatchObject({
      status: "completed",
      end_user_id: "ann",
      embed: minted.jti,
      workflow: caller.workflowId,
    });
    expect(run.json).not.toHaveProperty("credits_used");
    const { id } = run.json;
    const result = await call("GET", `/api/embed/executions/${id}/result`, minted);
    expect([result.status, "credits_used" in result.json], result.text).toEqual([200, false]);
    const whole = await call("GET", `/api/v1/executions/${id}/result`, { token: caller.token });
    expect(whole.json).toHaveProperty("credits_used");
    const own = await call("GET", `/api/v1/executions/${id}`, { token: caller.token });
    expect(own.json).toMatchObject({ end_user_id: "ann", embed: minted.jti, credits_used: 0 });
    const plain = await call("POST", "/api/v1/executions", {
      token: caller.token,
      json: { workflow: caller.workflowId, inputs: { words: { value: '"x"' } } },
    });
    expect(plain.json).toMatchObject({ end_user_id: null, embed: null });
    const listed = async (query: string) => {
      const reply = await call("GET", `/api/v1/executions?${query}`, { token: caller.token });
      return reply.json.data.map(
        (each: { id: string; embed: string | null; end_user_id: string | null }) => [
          each.id,
          each.embed,
          each.end_user_id,
        ],
      );
    };
    const labelled = [[id, minted.jti, "ann"]];
    expect(await listed(`embed=${minted.jti}`)).toEqual(labelled);
    expect(await listed("end_user_id=ann")).toEqual(labelled);
    expect(await listed("end_user_id=bob")).toEqual([]);
    expect(await listed("limit=5")).toEqual([[plain.json.id, null, null], ...labelled]);
  });

  test("are shown without ids of the workspace, its key, credits, prompts, cookies, or a header for other origins", async () => {
    const caller = await newEmbedCaller(
      {},
      {
        ...ECHO_DEFINITION,
        nodes: [
          ...ECHO_DEFINITION.nodes,
          { id: "line", type: "text/template", parameters: { template: "A secret prompt" } },
        ],
      },
    );
    const { token } = await mint(caller, { max_executions: 9, end_user_id: "ann" });
    const run = await submitEmbed(token, undefined, { prefer: "wait=30" });
    const path = `/api/embed/executions/${run.json.id}`;
    const headers = { origin: EMBED_ORIGINS[0]! };
    const replies = [
      run,
      await call("GET", "/api/embed/config", { token, headers }),
      await call("POST", "/api/embed/check-execution", { token, headers }),
      await call("GET", path, { token, headers }),
      await call("GET", `${path}/result`, { token, headers }),
      await call("GET", `${path}/events`, { token, headers }),
      await call("POST", `${path}/cancel`, { token, headers }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([202, 200, 200, 200, 200, 200, 422]);
    const { workspaceId, organizationId, clientId } = caller;
    const hidden = [
      workspaceId,
      organizationId,
      clientId,
      "secret prompt",
      "text/template",
      "credit",
    ];
    for (const { text, headers: answered } of replies) {
      expect(
        hidden.filter((word) => text.includes(word)),
        text,
      ).toEqual([]);
      const names = [...answered.keys()];
      expect(names.filter((name) => /^(?:set-cookie|access-control-)/.test(name))).toEqual([]);
    }
    // The workspace's own answer has what is looked for.
    const own = await call("GET", `/api/v1/executions/${run.json.id}`, { token: caller.token });
    expect(own.text).toContain("credit");
  });

  test("an editor's runs carry them too", async () => {
    const caller = await newEmbedCaller();
    const editor = await mintEditor(caller, { end_user_id: "eve" });
    const run = await call("POST", "/api/v1/executions", {
      token: editor.token,
      json: { workflow: caller.workflowId, inputs: { words: { value: '"x"' } } },
    });
    expect(run.json, run.text).toMatchObject({ end_user_id: "eve", embed: editor.jti });
  });

  test("are seen by their token, and by others of the same key, workflow and person alone", async () => {
    const caller = await newEmbedCaller();
    const otherKey = await newCaller({ workspaceId: caller.workspaceId });
    const otherWorkflow = await publishedWorkflow(caller, ECHO_DEFINITION);
    const first = await mint(caller, { end_user_id: "ann" });
    const { id } = (await submitEmbed(first.token, undefined, { prefer: "wait=30" })).json;
    const seen = async (token: string, run = id) => {
      const paths = [
        ["GET", `/api/embed/executions/${run}`],
        ["GET", `/api/embed/executions/${run}/result`],
        ["POST", `/api/embed/executions/${run}/cancel`],
      ] as const;
      return Promise.all(
        paths.map(async ([method, path]) => (await call(method, path, { token })).status),
      );
    };
    expect(await seen(first.token)).toEqual([200, 200, 422]);
    const refreshed = await mint(caller, { end_user_id: "ann" });
    expect(await seen(refreshed.token)).toEqual([200, 200, 422]);
    const strangers = [
      await mint(caller, { end_user_id: "bob" }),
      await mint(caller),
      await mint({ ...otherKey, workflowId: caller.workflowId }, { end_user_id: "ann" }),
      await mint({ ...caller, workflowId: otherWorkflow }, { end_user_id: "ann" }),
    ];
    for (const { token } of strangers) {
      expect(await seen(token)).toEqual([404, 404, 404]);
    }
    // Of two tokens without a person, none sees the other's runs; nobody sees runs of the API.
    const nobody = strangers[1]!;
    const nobodys = (await submitEmbed(nobody.token)).json.id;
    const another = await mint(caller);
    expect(await seen(another.token, nobodys)).toEqual([404, 404, 404]);
    const plain = await call("POST", "/api/v1/executions", {
      token: caller.token,
      json: { workflow: caller.workflowId, inputs: { words: { value: '"x"' } } },
    });
    expect(await seen(first.token, plain.json.id)).toEqual([404, 404, 404]);
  });

  test("of a narrowed key lose what the key does not allow", async () => {
    const caller = await newEmbedCaller();
    const key = await newCaller({
      workspaceId: caller.workspaceId,
      permissions: ["ws:executions:create", "ws:workflows:read"],
    });
    const { token } = await mint({ ...key, workflowId: caller.workflowId });
    const { id } = (await submitEmbed(token)).json;
    expect(answer(await call("GET", `/api/embed/executions/${id}`, { token }))).toEqual([
      403,
      "insufficient_scope",
    ]);
    expect((await call("GET", "/api/embed/config", { token })).json.can).toEqual({
      execute: true,
      upload: false,
    });
  });

  test("cannot use a stored file of the workspace", async () => {
    const caller = await newEmbedCaller({}, FORM_DEFINITION);
    const { token } = await mint(caller);
    const reply = await submitEmbed(token, {
      inputs: { words: { value: '"x"' }, photo: { asset_path: "images/logo.png" } },
    });
    expect(answer(reply)).toEqual([403, "forbidden"]);
  });
});

test("a token's calls count for the organization's window, too, and the plans have the figures of the contract", async () => {
  const caller = await newEmbedCaller();
  const figures = async () =>
    (await call("GET", "/api/v1/plan", { token: caller.token })).json.limits
      .embed_requests_per_minute;
  expect(await figures()).toBe(10_000);
  const plan = await operator("PUT", "/admin/v1/plans/thirty-calls", {
    name: "Thirty",
    limits: { requests_per_minute: 30 },
  });
  expect(plan.json.limits.embed_requests_per_minute, plan.text).toBe(300);
  const { token } = await mint(caller);
  await operator("PUT", `/admin/v1/workspaces/${caller.workspaceId}/plan`, {
    plan: "thirty-calls",
  });
  // The caller's own calls of this minute count, too.
  const replies = [];
  for (let i = 0; i <= 30; i++) {
    replies.push(await call("GET", "/api/embed/config", { token }));
  }
  expect(replies[0]!.status).toBe(200);
  const last = replies.at(-1)!;
  expect([last.status, last.json.code], last.text).toEqual([429, "too_many_requests"]);
  expect(last.json.detail).toContain("organization");
});

test("a token's calls beyond the plan's figure are 429, and other tokens go on", async () => {
  const caller = await newEmbedCaller();
  await operator("PUT", "/admin/v1/plans/slow-embeds", {
    name: "Slow",
    limits: { embed_requests_per_minute: 3, requests_per_minute: 1_000 },
  });
  await operator("PUT", `/admin/v1/workspaces/${caller.workspaceId}/plan`, { plan: "slow-embeds" });
  const minted = await mint(caller);
  const other = await mint(caller);
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) {
    statuses.push((await call("GET", "/api/embed/config", minted)).status);
  }
  expect(statuses).toEqual([200, 200, 200, 429]);
  const refused = await call("GET", "/api/embed/config", minted);
  expect([refused.json.code, Number(refused.headers.get("retry-after")) > 0]).toEqual([
    "too_many_requests",
    true,
  ]);
  expect((await call("GET", "/api/embed/config", other)).status).toBe(200);
});
