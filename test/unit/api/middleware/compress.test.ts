import { describe, expect, test } from "vitest";
import { chooseCoding, compressed } from "../../../../src/api/middleware/compress.ts";

const LONG = "x".repeat(2000);

function ask(encoding: string | null, init: RequestInit = {}): Request {
  return new Request("http://svc.test/", {
    ...init,
    headers: encoding === null ? {} : { "accept-encoding": encoding },
  });
}

function reply(body: BodyInit | null, headers: Record<string, string> = {}, status = 200) {
  return new Response(body, {
    status,
    headers: { "content-type": "application/json", ...headers },
  });
}

describe("the coding of a response", () => {
  test.each([
    ["gzip", "gzip"],
    ["br", "br"],
    ["gzip, deflate, br", "gzip"],
    ["gzip;q=0.5, br;q=0.9", "br"],
    ["gzip;q=0, br", "br"],
    ["*", "gzip"],
    ["identity", undefined],
    ["gzip;q=0", undefined],
    ["", undefined],
    [null, undefined],
  ])("of Accept-Encoding %j is %j", (header, coding) => {
    expect(chooseCoding(header)).toBe(coding);
  });
});

describe("compression of a response", () => {
  test("applies to long text, and makes its strong tag weak", async () => {
    const made = await compressed(
      ask("gzip"),
      reply(LONG, { etag: '"a"', "content-length": "2000" }),
    );
    expect(Object.fromEntries(made.headers)).toMatchObject({
      "content-encoding": "gzip",
      vary: "accept-encoding",
      etag: 'W/"a"',
    });
    expect(made.headers.has("content-length")).toBe(false);
    expect(await made.text()).toBe(LONG);
  });

  test("also applies to a body of unknown length, without buffering it", async () => {
    const pieces = ["a", LONG, "b"].map((text) => new TextEncoder().encode(text));
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) {
          controller.close();
        } else {
          controller.enqueue(piece);
        }
      },
    });
    const made = await compressed(ask("br"), reply(body));
    expect([made.headers.get("content-encoding"), await made.text()]).toEqual(["br", `a${LONG}b`]);
  });

  test.each([
    ["it is short", ask("gzip"), reply("short")],
    ["nobody asks", ask(null), reply(LONG)],
    ["it is a stream of events", ask("gzip"), reply(LONG, { "content-type": "text/event-stream" })],
    ["it is a picture", ask("gzip"), reply(LONG, { "content-type": "image/png" })],
    ["it is a part", ask("gzip"), reply(LONG, {}, 206)],
    ["it is encoded already", ask("gzip"), reply(LONG, { "content-encoding": "zstd" })],
    ["it is the answer to HEAD", ask("gzip", { method: "HEAD" }), reply(LONG)],
  ])("does not apply: %s", async (_, request, response) => {
    const before = response.headers.get("content-encoding");
    const made = await compressed(request, response);
    expect(made.headers.get("content-encoding")).toBe(before);
  });
});
