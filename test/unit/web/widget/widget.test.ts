import { describe, expect, test } from "vitest";
import { type EmbedPageQuery, readPageQuery } from "../../../../src/contracts/embeds/page-query.ts";
import { CommandRefused } from "../../../../src/web/shared/protocol.ts";
import { ApiFailure, type EmbedApi, type StoredFile } from "../../../../src/web/widget/core/api.ts";
import type { EmbedConfig, FieldConfig } from "../../../../src/web/widget/core/config.ts";
import { settingsOf } from "../../../../src/web/widget/core/settings.ts";
import { phaseOf } from "../../../../src/web/widget/core/state.ts";
import { Widget } from "../../../../src/web/widget/core/widget.ts";

const field = (key: string, more: Partial<FieldConfig> = {}): FieldConfig => ({
  key,
  label: key,
  description: "",
  type: "text",
  required: false,
  ...more,
});

const CONFIG: EmbedConfig = {
  workflow: { id: "wf_1", name: "W", description: "" },
  interface: null,
  fields: [
    field("name", { required: true }),
    field("count", { type: "number", default_value: "4", constraints: { min: 1, max: 8 } }),
    field("photo", { type: "image", accept: [".png"] }),
    field("extra", { type: "json" }),
  ],
  outputs: [],
  end_user_id: null,
  can: { execute: true, upload: true },
};

const STORED: StoredFile = {
  path: "assets/a.png",
  name: "a.png",
  content_type: "image/png",
  size_bytes: 3,
};

function tokenOf(claims: object): string {
  return `h.${btoa(JSON.stringify(claims))}.s`;
}

/** A clock that a test moves on: each wait ends with `pass`. */
function handClock() {
  let waits: (() => void)[] = [];
  return {
    pass: async () => {
      const due = waits;
      waits = [];
      for (const end of due) {
        end();
      }
      await settle();
    },
    clock: {
      nowMs: () => 0,
      wait: (_ms: number, signal: AbortSignal) =>
        new Promise<void>((resolve) => {
          waits.push(resolve);
          signal.addEventListener("abort", () => {
            resolve();
          });
        }),
    },
  };
}

/** Lets all promises that can settle do so. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** `later` has the calls with each further token. */
async function start(
  calls: Partial<EmbedApi> = {},
  config: EmbedConfig = CONFIG,
  later: readonly Partial<EmbedApi>[] = [],
  query: EmbedPageQuery = { switches: {} },
) {
  const messages: { type: string; payload: Record<string, unknown> }[] = [];
  const tokens: string[] = [];
  const done = async function* (): AsyncGenerator<string> {
    yield 'id: 1-1\nevent: done\ndata: {"status":"completed"}\n\n';
  };
  const api: Partial<EmbedApi> = {
    config: async () => config,
    takePermit: async () => "prm_1",
    submit: async () => ({ id: "run_1", status: "pending", progress: 0 }),
    events: async () => done(),
    execution: async () => ({ id: "run_1", status: "failed", progress: 1, error_code: "E" }),
    result: async () => ({ status: "completed", result: { by_key: {} } }),
    uploadFile: async () => STORED,
    ...calls,
  };
  const time = handClock();
  const widget = new Widget(
    {
      apiFor: (token) => {
        tokens.push(token);
        return { ...api, ...later[tokens.length - 2] } as EmbedApi;
      },
      clock: time.clock,
      emit: (type, payload) => {
        messages.push({ type, payload: payload as Record<string, unknown> });
      },
      newKey: () => "key",
      prefersDark: () => false,
      applyCss: (css) => (css === "large" ? null : css === "good"),
    },
    settingsOf(query, query.locale ?? "en", ["wf_1"]),
    tokenOf({ wf: "wf_1", if: null, end_user_id: null }),
  );
  await widget.start();
  const run = async (type: string, payload?: unknown): Promise<unknown> =>
    await widget.run({ type, payload, requestId: undefined });
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => "done",
      (error: unknown) => (error instanceof CommandRefused ? error.code : String(error)),
    );
  const told = (type: string) =>
    messages.filter((message) => message.type === type).map(({ payload }) => payload);
  return { widget, run, codeOf, told, messages, tokens, pass: time.pass };
}

describe("values", () => {
  test("that were typed are told once, after 150 ms, and count for a run at once", async () => {
    const { widget, told, pass, run } = await start();
    widget.form.type("name", "a");
    widget.form.type("name", "ab");
    expect(told("svc:values:changed")).toEqual([]);
    await pass();
    expect(told("svc:values:changed")).toEqual([
      {
        fieldKey: "name",
        value: "ab",
        allValues: { name: "ab", count: 4, photo: null, extra: null },
      },
    ]);
    widget.form.type("name", "abc");
    await run("svc:execute");
    // Before the run, not after it.
    expect(told("svc:values:changed").map(({ value }) => value)).toEqual(["ab", "abc"]);
  });

  test("of a command apply all or none", async () => {
    const { widget, codeOf, run, told } = await start();
    const refused = run("svc:setValues", { name: "x", count: "4", unknown: 1, __proto__: null });
    await expect(refused).rejects.toMatchObject({
      code: "invalid_execution_inputs",
      details: { fields: ["count", "unknown"] },
    });
    expect(widget.form.values()["name"]).toBeNull();
    expect(await codeOf(run("svc:setValues", "x"))).toBe("invalid_message");
    expect(await codeOf(run("svc:setValues", { name: "x", count: null }))).toBe("done");
    expect(told("svc:values:changed").map(({ fieldKey }) => fieldKey)).toEqual(["name", "count"]);
    expect(widget.form.values()).toMatchObject({ name: "x", count: null });
  });

  test("of init are not told, and a reset brings them and the defaults back", async () => {
    const { widget, run, told } = await start();
    await run("svc:init", { values: { name: "init" } });
    await run("svc:init", { values: { name: "later" } });
    expect(told("svc:values:changed")).toEqual([]);
    await run("svc:setValues", { name: "changed", count: 2 });
    await run("svc:reset");
    expect(widget.form.values()).toMatchObject({ name: "later", count: 4 });
    expect(
      told("svc:values:changed")
        .slice(2)
        .map(({ fieldKey, value }) => [fieldKey, value]),
    ).toEqual([
      ["name", "later"],
      ["count", 4],
    ]);
  });

  test("are told once each, and only where they changed", async () => {
    const { widget, run, told } = await start();
    await run("svc:setValues", { name: "x", count: 4, extra: { a: 1 } });
    await run("svc:setValues", { count: 5, name: "x", extra: { a: 1 } });
    widget.form.type("name", "typed");
    await run("svc:setValues", { count: 6, name: "set" });
    expect(told("svc:values:changed").map(({ fieldKey, value }) => [fieldKey, value])).toEqual([
      ["name", "x"],
      ["extra", { a: 1 }],
      ["count", 5],
      ["name", "set"],
      ["count", 6],
    ]);
  });

  test("that init emptied are emptied by a reset, too", async () => {
    const { widget, run } = await start();
    await run("svc:init", { values: { count: null } });
    await run("svc:setValues", { count: 2 });
    await run("svc:reset");
    expect(widget.form.values()["count"]).toBeNull();
  });

  test("of fields that are locked or hidden are set and sent all the same", async () => {
    const sent: unknown[] = [];
    const { run, codeOf } = await start({
      submit: ({ inputs }) => {
        sent.push(inputs);
        return Promise.resolve({ id: "run_1", status: "pending", progress: 0 });
      },
    });
    await run("svc:init", { lockedFields: ["name"], hiddenFields: ["extra", "count"] });
    await run("svc:setValues", { name: "x", extra: [1] });
    expect(await codeOf(run("svc:execute"))).toBe("done");
    expect(sent).toEqual([
      { name: { value: '"x"' }, count: { value: "4" }, extra: { value: "[1]" } },
    ]);
  });

  test("that are files are uploaded, and one that was replaced does not arrive", async () => {
    const first = Promise.withResolvers<StoredFile>();
    const uploads = [first.promise, Promise.resolve({ ...STORED, path: "assets/second.png" })];
    const { widget, run } = await start({ uploadFile: () => uploads.shift() ?? first.promise });
    const slow = run("svc:setValues", { photo: new File(["x"], "first.png") });
    expect(phaseOf(widget.store.state)).toBe("uploading");
    await run("svc:setValues", { photo: new Blob(["y"], { type: "image/png" }) });
    first.resolve(STORED);
    await slow;
    expect(widget.form.values()["photo"]).toMatchObject({ asset_path: "assets/second.png" });
  });

  test("that are files of init are not told, and a reset brings them back", async () => {
    const { widget, run, told } = await start({ uploadFile: () => Promise.resolve(STORED) });
    await run("svc:init", { values: { photo: new File(["x"], "a.png") } });
    expect(told("svc:values:changed")).toEqual([]);
    await run("svc:setValues", { photo: null });
    await run("svc:reset");
    expect(widget.form.values()["photo"]).toMatchObject({ asset_path: STORED.path });
  });

  test("that are files of init and stopped on their way stay those of init when they are continued", async () => {
    let isOnline = false;
    const { widget, run, codeOf, told } = await start({
      uploadFile: () =>
        isOnline ? Promise.resolve(STORED) : Promise.reject(new ApiFailure("network", 0)),
    });
    const init = run("svc:init", { values: { photo: new File(["x"], "a.png") } });
    expect(await codeOf(init)).toBe("upload_failed");
    expect(widget.store.field("photo").upload?.state).toBe("stopped");
    isOnline = true;
    widget.continueUpload("photo");
    await settle();
    expect(told("svc:values:changed")).toEqual([]);
    await run("svc:setValues", { photo: null });
    await run("svc:reset");
    expect(widget.form.values()["photo"]).toMatchObject({ asset_path: STORED.path });
  });

  test.each([
    [400, "file_type"],
    [415, "file_type"],
    [402, "file_refused"],
    [403, "file_refused"],
    [429, "file_refused"],
    [503, "upload"],
    [0, "upload"],
  ])("that are files which the service refuses with %i say why: %s", async (status, code) => {
    const { widget, codeOf, run } = await start({
      uploadFile: () => Promise.reject(new ApiFailure("any", status)),
    });
    expect(await codeOf(run("svc:setValues", { photo: new File(["x"], "a.png") }))).toBe(
      "upload_failed",
    );
    expect(widget.store.field("photo").problem?.code).toBe(code);
  });

  test("of a wrong type of file are refused before they are sent", async () => {
    const { codeOf, run, widget } = await start();
    expect(await codeOf(run("svc:setValues", { photo: new File(["x"], "a.exe") }))).toBe(
      "upload_failed",
    );
    expect(widget.store.field("photo").problem?.code).toBe("file_type");
  });
});

describe("a run", () => {
  test("is refused with the reason while a required field is empty, a value wrong, or a file on its way", async () => {
    const { widget, run, codeOf } = await start({ uploadFile: () => new Promise(() => undefined) });
    expect(await codeOf(run("svc:execute"))).toBe("missing_required_inputs");
    expect(widget.store.state.focus?.key).toBe("name");
    await run("svc:setValues", { name: "x", count: 9 });
    expect(await codeOf(run("svc:execute"))).toBe("invalid_execution_inputs");
    await run("svc:setValues", { count: 2 });
    widget.form.type("extra", "{");
    expect(await codeOf(run("svc:execute"))).toBe("invalid_execution_inputs");
    widget.form.type("extra", "");
    void run("svc:setValues", { photo: new File(["x"], "a.png") });
    expect(await codeOf(run("svc:execute"))).toBe("upload_pending");
  });

  test("is one at a time, and a reset ends its telling", async () => {
    const never = async function* (): AsyncGenerator<string> {
      yield 'id: 1-1\nevent: progress\ndata: {"progress":10}\n\n';
      await new Promise(() => undefined);
    };
    const { run, codeOf, told, widget } = await start({ events: async () => never() });
    await run("svc:setValues", { name: "x" });
    const first = codeOf(run("svc:execute"));
    await settle();
    expect(told("svc:execution:progress")).toEqual([
      { executionId: "run_1", progress: 10, status: "pending" },
    ]);
    expect(await codeOf(run("svc:execute"))).toBe("execution_in_progress");
    await run("svc:reset");
    expect([phaseOf(widget.store.state), told("svc:execution:failed")]).toEqual(["idle", []]);
    // The command is answered when the stream ends or its next piece comes; here it never does.
    void first;
  });

  test("sends its submit again with the same key while no answer arrives, and takes one permit", async () => {
    const keys: string[] = [];
    let permits = 0;
    const { run, codeOf, pass } = await start({
      takePermit: async () => {
        permits += 1;
        return "prm_1";
      },
      submit: (body, key) => {
        keys.push(`${key} ${String(body.permit)}`);
        return keys.length < 3
          ? Promise.reject(new ApiFailure("network", 0))
          : Promise.resolve({ id: "run_1", status: "pending", progress: 0 });
      },
    });
    await run("svc:setValues", { name: "x" });
    const ended = codeOf(run("svc:execute"));
    await settle();
    await pass();
    await pass();
    expect(await ended).toBe("done");
    expect([keys, permits]).toEqual([["key prm_1", "key prm_1", "key prm_1"], 1]);
  });

  test("keeps the permit of a refused submit, and takes a new one only if it has lapsed", async () => {
    const used: (string | undefined)[] = [];
    const answers = ["validation_error", "execution_cap_exceeded", undefined];
    let permits = 0;
    const { run, codeOf, widget } = await start({
      takePermit: async () => {
        permits += 1;
        return `prm_${String(permits)}`;
      },
      submit: (body) => {
        used.push(body.permit);
        const code = answers.shift();
        return code === undefined
          ? Promise.resolve({ id: "run_1", status: "pending", progress: 0 })
          : Promise.reject(
              new ApiFailure(code, code === "validation_error" ? 400 : 403, null, ["inputs.name"]),
            );
      },
    });
    await run("svc:setValues", { name: "x" });
    expect(await codeOf(run("svc:execute"))).toBe("invalid_execution_inputs");
    expect(widget.store.field("name").problem?.code).toBe("refused");
    await run("svc:setValues", { name: "y" });
    expect(await codeOf(run("svc:execute"))).toBe("done");
    expect(used).toEqual(["prm_1", "prm_1", "prm_2"]);
  });

  test("that failed or was cancelled is told with a sentence, never with the service's own", async () => {
    for (const status of ["failed", "cancelled"]) {
      const stream = async function* (): AsyncGenerator<string> {
        yield `id: 1-1\nevent: done\ndata: {"status":"${status}"}\n\n`;
      };
      const { run, codeOf, told } = await start({ events: async () => stream() });
      await run("svc:setValues", { name: "x" });
      const code = status === "failed" ? "E" : "cancelled";
      expect(await codeOf(run("svc:execute"))).toBe(code);
      const [failed] = told("svc:execution:failed");
      expect(failed).toMatchObject({ executionId: "run_1", code });
      expect(failed?.["error"]).toMatch(/^(?:A step of the run failed|The run was cancelled)/);
    }
  });

  test("is cancelled as soon as it has an id", async () => {
    const cancelled: string[] = [];
    const submit = Promise.withResolvers<{ id: string; status: string; progress: number }>();
    const { run, codeOf } = await start({
      submit: () => submit.promise,
      cancel: async (id) => {
        cancelled.push(id);
      },
    });
    await run("svc:setValues", { name: "x" });
    const ended = codeOf(run("svc:execute"));
    await settle();
    await run("svc:cancel");
    expect(cancelled).toEqual([]);
    submit.resolve({ id: "run_7", status: "pending", progress: 0 });
    await ended;
    expect(cancelled).toEqual(["run_7"]);
  });

  test.each([
    ["execution_cap_exceeded", 403, "execution_cap_exceeded"],
    ["token_revoked", 401, "token_revoked"],
    ["insufficient_scope", 403, "forbidden"],
    ["insufficient_credits", 402, "execution_failed"],
    ["internal_error", 500, "execution_failed"],
    ["rate_limited", 429, "too_many_requests"],
    ["workflow_not_published", 400, "workflow_not_available"],
    ["network", 0, "network"],
  ])("refused as %s with %i is %s", async (code, status, expected) => {
    const { run, codeOf, told } = await start({
      takePermit: () => Promise.reject(new ApiFailure(code, status)),
    });
    await run("svc:setValues", { name: "x" });
    expect(await codeOf(run("svc:execute"))).toBe(expected);
    expect(told("svc:execution:started")).toEqual([]);
  });
});

describe("a new token", () => {
  const upload = { photo: new File(["x"], "a.png") };

  test("for another workflow or interface is wrong", async () => {
    const { run, codeOf, tokens } = await start();
    for (const token of [
      tokenOf({ wf: "wf_2" }),
      tokenOf({ wf: "wf_1", if: "int_1" }),
      "x",
      5,
      undefined,
    ]) {
      expect(await codeOf(run("svc:setToken", { token }))).toBe("wrong_token");
    }
    expect(tokens.length).toBe(1);
  });

  test("asks for files again, unless it is for the same person", async () => {
    const { run, widget, tokens } = await start();
    await run("svc:setValues", upload);
    await run("svc:setToken", { token: tokenOf({ wf: "wf_1", end_user_id: "p" }) });
    expect(widget.store.field("photo")).toMatchObject({
      value: null,
      problem: { code: "file_again" },
    });
    await run("svc:setValues", upload);
    await run("svc:setToken", { token: tokenOf({ wf: "wf_1", if: null, end_user_id: "p" }) });
    expect(widget.form.values()["photo"]).toMatchObject({ asset_path: "assets/a.png" });
    expect(tokens.length).toBe(3);
  });
});

test("a run goes on with the token that started it, unless the new one is for the same person", async () => {
  const person = (id: string) => ({ token: tokenOf({ wf: "wf_1", if: null, end_user_id: id }) });
  for (const [next, expected] of [
    ["ann", "second"],
    ["bob", "first"],
  ] as const) {
    const asked: string[] = [];
    const gate = Promise.withResolvers<void>();
    const callsOf = (name: string): Partial<EmbedApi> => ({
      events: async () =>
        (async function* () {
          await gate.promise;
          yield 'id: 1-1\nevent: done\ndata: {"status":"completed"}\n\n';
        })(),
      result: async () => {
        asked.push(name);
        return { status: "completed", result: { by_key: {} } };
      },
    });
    const { run, codeOf } = await start({}, CONFIG, [callsOf("first"), callsOf("second")]);
    await run("svc:setToken", person("ann"));
    await run("svc:setValues", { name: "x" });
    const ended = codeOf(run("svc:execute"));
    await settle();
    await run("svc:setToken", person(next));
    gate.resolve();
    expect([await ended, asked]).toEqual(["done", [expected]]);
  }
});

describe("settings of a message", () => {
  test("win over those of the address, each alone, and the later message over the earlier", async () => {
    const query = readPageQuery(
      new URLSearchParams(
        "theme=light&primaryColor=f00&locale=de&layout=inline&hideHeader=1&hideExecuteButton=1&hidePoweredBy=1&hideProgress=1&hideOutput=1&showName=0&showBranding=0",
      ),
    );
    const { run, widget } = await start({}, CONFIG, [], query);
    const settings = () => widget.store.state.settings;
    const ofQuery = {
      theme: { mode: "light", values: { primaryColor: "#f00" } },
      locale: "de",
      layout: "inline",
      hidden: { header: true, execute: true, poweredBy: true, progress: true, output: true },
      showName: false,
      showBranding: false,
    };
    expect(settings()).toMatchObject(ofQuery);
    // What a message does not name stays as the address has it.
    await run("svc:init", {});
    expect(settings()).toMatchObject(ofQuery);
    const messages = [
      [{ theme: { mode: "dark" } }, { theme: { ...ofQuery.theme, mode: "dark" } }],
      [
        { theme: { primaryColor: "#00f" } },
        { theme: { mode: "dark", values: { primaryColor: "#00f" } } },
      ],
      [{ locale: "fr" }, { locale: "fr" }],
      [{ layout: "default" }, { layout: "default" }],
      [{ hideHeader: false }, { hidden: { ...ofQuery.hidden, header: false } }],
      [
        { hideExecuteButton: false, hidePoweredBy: false, hideProgress: false, hideOutput: false },
        {
          hidden: {
            header: false,
            execute: false,
            poweredBy: false,
            progress: false,
            output: false,
          },
        },
      ],
      [
        { showName: true, showBranding: true },
        { showName: true, showBranding: true },
      ],
      [{ compact: true }, { layout: "compact" }],
      [{ layout: "headless" }, { layout: "headless" }],
    ] as const;
    let expected: object = ofQuery;
    for (const [message, change] of messages) {
      await run("svc:init", message);
      expected = { ...expected, ...change };
      expect(settings(), JSON.stringify(message)).toMatchObject(expected);
    }
    await run("svc:setTheme", { mode: "light" });
    await run("svc:setLocale", { locale: "ja" });
    expect(settings()).toMatchObject({
      locale: "ja",
      theme: { mode: "light", values: { primaryColor: "#00f" } },
    });
  });

  test("of the wrong type are named as such, and the others apply", async () => {
    const { run, told, widget, codeOf } = await start();
    await run("svc:init", {
      layout: "wide",
      hideHeader: "yes",
      showName: false,
      lockedFields: ["name"],
      hiddenFields: [1],
    });
    expect(told("svc:error").map(({ code }) => code)).toEqual(["invalid_message"]);
    expect(widget.store.state.settings).toMatchObject({ layout: "default", showName: false });
    expect(widget.store.state.settings.lockedFields.has("name")).toBe(true);
    await run("svc:init", { compact: true });
    expect(widget.store.state.settings.layout).toBe("compact");
    expect(await codeOf(run("svc:setLocale", { locale: 5 }))).toBe("invalid_message");
    expect(await codeOf(run("svc:setCustomCss", { css: "good" }))).toBe("done");
    expect(await codeOf(run("svc:setCustomCss", { css: "large" }))).toBe("css_sanitized");
    expect(told("svc:error").length).toBe(1);
    await run("svc:setCustomCss", { css: "bad" });
    expect(told("svc:error").map(({ code }) => code)).toEqual(["invalid_message", "css_sanitized"]);
  });

  test("choose a language, and unknown ones are English", async () => {
    const { run, widget } = await start();
    for (const [tag, locale] of [
      ["de-AT", "de"],
      ["AR", "ar"],
      ["xx", "en"],
      ["constructor", "en"],
      ["ja_JP", "ja"],
    ]) {
      await run("svc:setLocale", { locale: tag });
      expect(widget.store.state.settings.locale).toBe(locale);
    }
  });
});

describe("the host", () => {
  /** Events of a page, docs/embeds.md#commands-and-events-of-a-workflow, without those of the frame itself. */
  const EVENTS = [
    "svc:error",
    "svc:execution:completed",
    "svc:execution:failed",
    "svc:execution:progress",
    "svc:execution:started",
    "svc:ready",
    "svc:values:changed",
  ];

  test("is told each kind of event, and never svc:validation, which is reserved", async () => {
    const stream = async function* (status: string): AsyncGenerator<string> {
      yield 'id: 1-1\nevent: progress\ndata: {"progress":10}\n\n';
      yield `id: 1-2\nevent: done\ndata: {"status":"${status}"}\n\n`;
    };
    const ends = ["completed", "failed"];
    let isRefused = true;
    const { widget, run, codeOf, messages, pass } = await start({
      events: async () => stream(ends.shift() ?? "completed"),
      submit: () =>
        isRefused
          ? Promise.reject(new ApiFailure("validation_error", 400, null, ["inputs.count"]))
          : Promise.resolve({ id: "run_1", status: "pending", progress: 0 }),
    });
    widget.ready();
    // Everything that is checked: while typing, on leaving a control, by a command, on a run, and by the service.
    widget.form.type("extra", "{");
    widget.form.leave("extra");
    widget.form.leave("name");
    await pass();
    const codes = [await codeOf(run("svc:execute"))];
    widget.form.type("extra", "");
    codes.push(await codeOf(run("svc:setValues", { name: 5, count: 99, nothing: 1 })));
    await run("svc:setValues", { name: "x", count: 99 });
    codes.push(await codeOf(run("svc:execute")));
    await run("svc:setValues", { count: 2 });
    codes.push(await codeOf(run("svc:setValues", { photo: new File(["x"], "a.exe") })));
    await run("svc:setValues", { photo: null });
    codes.push(await codeOf(run("svc:execute")));
    expect(widget.store.field("count").problem?.code).toBe("refused");
    isRefused = false;
    await run("svc:setValues", { count: 3 });
    codes.push(await codeOf(run("svc:execute")), await codeOf(run("svc:execute")));
    await run("svc:reset");
    expect(codes).toEqual([
      "missing_required_inputs",
      "invalid_execution_inputs",
      "invalid_execution_inputs",
      "upload_failed",
      "invalid_execution_inputs",
      "done",
      "E",
    ]);
    widget.act(() => widget.runs.execute());
    await settle();
    expect([...new Set(messages.map(({ type }) => type))].toSorted()).toEqual(EVENTS);
  });
});

test("a page that cannot read its config shows why", async () => {
  await expect(
    start({ config: () => Promise.reject(new ApiFailure("token_expired", 401)) }),
  ).rejects.toMatchObject({
    code: "token_expired",
  });
});
