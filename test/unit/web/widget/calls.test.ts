import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  ApiFailure,
  type Clock,
  type EmbedApi,
  type SessionView,
} from "../../../../src/web/widget/core/api.ts";
import { createEventReader } from "../../../../src/web/widget/core/event-stream.ts";
import { followRun, type RunNews } from "../../../../src/web/widget/core/follow-run.ts";
import { md5Base64 } from "../../../../src/web/widget/core/md5.ts";
import { uploadFile } from "../../../../src/web/widget/core/upload-file.ts";

const CLOCK: Clock = { nowMs: () => 0, wait: async () => undefined };
const NEVER = new AbortController().signal;

describe("a reader of an event stream", () => {
  const TEXT =
    ': a comment\r\nid: 1-1\r\nevent: status\r\ndata: {"a":\r\ndata: 1}\r\n\r\nid: 1-2\ndata:x\n\nevent: e\n\ndata: last\rid: 1-3\r\r';

  test("reads the same events however the text is cut", () => {
    const whole = createEventReader()(TEXT);
    expect(whole).toEqual([
      { id: "1-1", event: "status", data: '{"a":\n1}' },
      { id: "1-2", event: "message", data: "x" },
    ]);
    for (let at = 0; at <= TEXT.length; at += 1) {
      const read = createEventReader();
      const events = [...read(TEXT.slice(0, at)), ...read(TEXT.slice(at)), ...read("\n")];
      expect(events).toEqual([...whole, { id: "1-3", event: "message", data: "last" }]);
    }
  });

  test("refuses a line without end", () => {
    const read = createEventReader();
    expect(() => read("x".repeat(1_048_577))).toThrow("longer than 1 MiB");
  });
});

test("MD5 is that of Node, for every length around a block", () => {
  for (const length of [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000, 70_001]) {
    const bytes = Uint8Array.from({ length }, (_none, i) => (i * 31 + length) & 255);
    expect(md5Base64(bytes)).toBe(createHash("md5").update(bytes).digest("base64"));
  }
  const larger = new Uint8Array(100).fill(7);
  expect(md5Base64(larger.subarray(3, 80))).toBe(
    createHash("md5").update(larger.subarray(3, 80)).digest("base64"),
  );
});

/** Calls of which a test gives the ones that it expects. */
function apiOf(calls: Partial<EmbedApi>): EmbedApi {
  const unexpected = (name: string) => () => Promise.reject(new Error(`${name} was not expected.`));
  return new Proxy(calls as EmbedApi, {
    get: (target, name) => Reflect.get(target, name) ?? unexpected(String(name)),
  });
}

const event = (id: number, name: string, data: object) =>
  `id: 1-${String(id)}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

async function* streamOf(...pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

describe("a run that is followed", () => {
  async function follow(calls: Partial<EmbedApi>) {
    const news: RunNews[] = [];
    const status = await followRun(
      () => apiOf(calls),
      CLOCK,
      "run_1",
      NEVER,
      (one) => {
        news.push(one);
      },
    );
    return { status, news };
  }

  test("resumes a stream that broke off after the last event, and its progress never falls", async () => {
    const asked: string[] = [];
    const streams = [
      streamOf(event(1, "status", { status: "running" }), event(2, "progress", { progress: 40 })),
      streamOf(
        event(3, "progress", { progress: 20 }),
        event(4, "output", { presence: "present" }),
        event(5, "done", { status: "completed" }),
      ),
    ];
    const { status, news } = await follow({
      events: async (_id, lastEventId) => {
        asked.push(lastEventId);
        return streams.shift() ?? streamOf();
      },
    });
    expect([status, asked]).toEqual(["completed", ["", "1-2"]]);
    expect(news.map(({ progress }) => progress)).toEqual([0, 40, 40, 40]);
    expect(news.at(-1)).toEqual({ status: "completed", progress: 40, made: 1 });
  });

  test("is polled where no stream gets through", async () => {
    const polled = [
      { id: "run_1", status: "running", progress: 50 },
      { id: "run_1", status: "running", progress: 30 },
      { id: "run_1", status: "partial_success", progress: 100 },
    ];
    let streams = 0;
    const { status, news } = await follow({
      events: () => {
        streams += 1;
        return Promise.reject(new ApiFailure("network", 0));
      },
      execution: async () => polled.shift() ?? Promise.reject(new ApiFailure("network", 0)),
    });
    expect([status, streams]).toEqual(["partial_success", 3]);
    expect(news.map(({ progress }) => progress)).toEqual([50, 100]);
  });

  test.each([401, 403])("ends with a refusal of status %i", async (status) => {
    await expect(
      follow({ events: () => Promise.reject(new ApiFailure("token_revoked", status)) }),
    ).rejects.toMatchObject({ status });
  });

  test("that is not found ends when the execution is not found either", async () => {
    const calls: string[] = [];
    const missing = (call: string) => () => {
      calls.push(call);
      return Promise.reject(new ApiFailure("not_found", 404));
    };
    await expect(
      follow({ events: missing("events"), execution: missing("execution") }),
    ).rejects.toMatchObject({ status: 404 });
    expect(calls).toEqual(["events", "events", "events", "execution"]);
  });

  test("ends when it is no longer told", async () => {
    const abort = new AbortController();
    const endless = async function* (): AsyncGenerator<string> {
      yield event(1, "status", { status: "running" });
      abort.abort();
    };
    await expect(
      followRun(
        () => apiOf({ events: async () => endless() }),
        CLOCK,
        "r",
        abort.signal,
        () => undefined,
      ),
    ).rejects.toThrow("abort");
  });
});

describe("an upload", () => {
  const MIB = 1024 * 1024;
  const stored = { path: "assets/a.bin", name: "a.bin", content_type: "x/y", size_bytes: 1 };
  const session: SessionView = {
    status: "pending",
    upload_id: "upl_1",
    file_name: "a.bin",
    content_type: "x/y",
    part_size_bytes: 8 * MIB,
  };

  test("up to 16 MiB is one request", async () => {
    const file = new File([new Uint8Array(16 * MIB)], "a.bin");
    const calls: Partial<EmbedApi> = { uploadFile: async () => stored };
    const progress = { key: "k", sessionId: null };
    expect(await uploadFile(apiOf(calls), CLOCK, file, progress, () => undefined, NEVER)).toBe(
      stored,
    );
  });

  test("above it is a session; after a failure only parts that were not received are sent", async () => {
    const file = new File([new Uint8Array(20 * MIB)], "a.bin");
    const sent: string[] = [];
    const bytes: number[] = [];
    let isOnline = false;
    const calls: Partial<EmbedApi> = {
      openSession: async () => session,
      readSession: async () => ({
        ...session,
        parts: [1, 2, 3].map((part_number) => ({ part_number, confirmed: part_number === 1 })),
      }),
      signPart: async (_id, part) => ({ upload_url: `part-${String(part)}`, required_headers: {} }),
      putBytes: async (url, _headers, part, onSent) => {
        if (url === "part-2" && !isOnline) {
          throw new ApiFailure("network", 0);
        }
        sent.push(url);
        onSent(part.size);
      },
      endSession: async () => ({
        ...session,
        status: "finalized",
        path: "assets/a.bin",
        size_bytes: file.size,
      }),
    };
    const progress = { key: "k", sessionId: null };
    const upload = () =>
      uploadFile(apiOf(calls), CLOCK, file, progress, (count) => bytes.push(count), NEVER);
    await expect(upload()).rejects.toMatchObject({ code: "network" });
    expect([sent, progress.sessionId]).toEqual([["part-1"], "upl_1"]);
    isOnline = true;
    expect(await upload()).toMatchObject({ path: "assets/a.bin", size_bytes: file.size });
    expect(sent).toEqual(["part-1", "part-2", "part-3"]);
    expect(bytes.at(-1)).toBe(file.size);
  });

  test("whose bytes are refused after the session ends with the reason", async () => {
    const file = new File([new Uint8Array(17 * MIB)], "a.bin");
    const calls: Partial<EmbedApi> = {
      openSession: async () => ({ ...session, status: "in_progress" }),
      endSession: async () => ({ ...session, status: "failed", error_code: "content_mismatch" }),
    };
    await expect(
      uploadFile(apiOf(calls), CLOCK, file, { key: "k", sessionId: null }, () => undefined, NEVER),
    ).rejects.toMatchObject({ code: "content_mismatch" });
  });
});
