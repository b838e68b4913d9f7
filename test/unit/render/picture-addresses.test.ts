/**
 * Pictures at addresses that are private, hang, redirect or lie: each has its reason within its time and its memory, and
 * the render after it is what it was before.
 */
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { LIMITS } from "../../../src/lib/limits/limits-table.ts";
import { jpegFile, pngFile, samplePicture } from "../../support/images/sample-files.ts";
import {
  collectInNode,
  madeInNode,
  renderInNode,
  renderRequest,
} from "../../support/render/node-renderer.ts";
import { templateRequest } from "../../support/render/template-request.ts";
import { documentOf, field } from "../../support/templates/layout-kit.ts";

const MB = 1024 * 1024;
const ADDRESS = "https://pictures.example/a.png";

const picture = (more: Readonly<Record<string, unknown>> = {}) => ({
  $type: "image",
  width: 50,
  height: 50,
  placeholder: field("picture", "image", more),
});
const DOCUMENT = documentOf([[picture()]]) as unknown as JsonValue;
const REQUIRED = documentOf([[picture({ required: true })]]) as unknown as JsonValue;
const PLAIN = documentOf([[{ $type: "text", width: 90, height: 20, text: "Plain" }]]);

const png = pngFile(samplePicture(8, 8));
/** A PNG whose header states another size. */
function stating(width: number, height: number): Uint8Array {
  const lying = png.slice();
  const view = new DataView(lying.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return lying;
}

let plain: Uint8Array;
const plainPdf = async () => (await madeInNode(PLAIN as unknown as JsonValue, {})).pdf;

beforeAll(async () => {
  plain = await plainPdf();
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  expect(await plainPdf()).toEqual(plain);
});

type Answer = (url: string, signal: AbortSignal | undefined) => Response | Promise<Response>;

/** Stands for the network; returns the addresses that were asked. */
function answering(answer: Answer): string[] {
  const asked: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    asked.push(url);
    return answer(url, init?.signal ?? undefined);
  });
  return asked;
}

const picturesOf = async (address: string) => {
  const { report } = await madeInNode(DOCUMENT, { picture: address });
  return report.images.length === 0 ? "printed" : report.images[0]?.reason;
};

const redirect = (to: string) => () =>
  new Response(null, { status: 302, headers: { location: to } });
const body = (bytes: Uint8Array, headers: Record<string, string> = {}) =>
  new Response(bytes.slice(), { headers: { "content-type": "image/png", ...headers } });

test("a render, alone and in a collection, says that it has read an address, whatever came of it, and nothing else does", async () => {
  const inline = `data:image/png;base64,${Buffer.from(png).toString("base64")}`;
  for (const [source, answer, isFetched] of [
    [ADDRESS, () => body(png), true],
    [ADDRESS, () => new Response("", { status: 404 }), true],
    [inline, () => body(png), false],
    ["pictures/none.png", () => body(png), false],
  ] as const) {
    answering(answer);
    const fetched: string[] = [];
    const onFetched = (by: string) => ({ onFetched: () => void fetched.push(by) });
    const request = await templateRequest(DOCUMENT, { picture: source });
    await renderRequest(request, undefined, onFetched("render"));
    await collectInNode(DOCUMENT, [{ picture: source }], {}, onFetched("collection"));
    const expected = isFetched ? ["render", "collection"] : [];
    expect([source, [...new Set(fetched)]]).toEqual([source, expected]);
    vi.restoreAllMocks();
  }
});

describe("an address that", () => {
  test.each([
    "https://127.0.0.1/a.png",
    "https://10.0.0.1/a.png",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/a.png",
    "https://[::ffff:10.0.0.1]/a.png",
    "https://localhost/a.png",
    "http://pictures.example/a.png",
    "https://pictures.example:8443/a.png",
    "https://user:password@pictures.example/a.png",
    "ftp://pictures.example/a.png",
  ])("the service may not call is refused, and never called: %s", async (address) => {
    const asked = answering(() => body(png));
    expect([await picturesOf(address), asked]).toEqual(["refused", []]);
  });

  test("redirects is followed to where the service may go, and no further", async () => {
    const asked = answering((url) =>
      url === ADDRESS ? redirect("https://other.example/b.png")() : body(png),
    );
    expect([await picturesOf(ADDRESS), asked.length]).toEqual(["printed", 2]);
    vi.restoreAllMocks();
    const refused = answering(redirect("https://10.0.0.1/b.png"));
    expect([await picturesOf(ADDRESS), refused]).toEqual(["refused", [ADDRESS]]);
    vi.restoreAllMocks();
    const endless = answering(redirect(ADDRESS));
    expect([await picturesOf(ADDRESS), endless.length]).toEqual([
      "fetch_failed",
      LIMITS.import_redirects.value + 1,
    ]);
  });

  test.each<[string, (signal: AbortSignal | undefined) => Response | Promise<Response>]>([
    ["before it answers", () => new Promise<Response>(() => undefined)],
    [
      "in the middle of its body",
      () =>
        new Response(
          new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(png) }),
        ),
    ],
  ])("hangs %s is given up after its time", async (_, answer) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const isAsked = Promise.withResolvers<undefined>();
    answering((_url, signal) => {
      isAsked.resolve(undefined);
      return answer(signal);
    });
    let reason: string | undefined = "waits";
    const rendered = picturesOf(ADDRESS).then((found) => (reason = found));
    await isAsked.promise;
    await vi.advanceTimersByTimeAsync(LIMITS.render_picture_time.value - 1);
    expect(reason).toBe("waits");
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    expect(await rendered).toBe("fetch_failed");
  });

  test.each<[string, () => Response, string]>([
    ["with HTML in place of a picture", () => body(Buffer.from("<p>No</p>")), "unreadable"],
    ["with another type of picture", () => body(jpegFile(samplePicture(8, 8))), "printed"],
    ["with a picture that is cut short", () => body(png.subarray(0, -30)), "unreadable"],
    ["with more pixels than it has", () => body(stating(4_000, 4_000)), "unreadable"],
    ["with more pixels than any picture", () => body(stating(60_000, 60_000)), "too_large"],
    ["with fewer pixels than it has", () => body(stating(4, 4)), "unreadable"],
    ["with a length that it does not have", () => body(png, { "content-length": "9" }), "printed"],
    ["without a picture", () => new Response("Gone", { status: 404 }), "not_found"],
    ["with an error", () => new Response("Busy", { status: 503 }), "fetch_failed"],
  ])("answers %s", async (_, answer, expected) => {
    answering(answer);
    expect(await picturesOf(ADDRESS)).toBe(expected);
  });

  test("sends more than a picture may have is read no further", async () => {
    let sent = 0;
    const piece = new Uint8Array(MB);
    const endless = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          sent += piece.byteLength;
          controller.enqueue(piece.slice());
        },
      },
      { highWaterMark: 0 },
    );
    answering(() => new Response(endless));
    expect(await picturesOf(ADDRESS)).toBe("too_large");
    expect(sent).toBeLessThanOrEqual(LIMITS.render_picture.value + 2 * MB);
  });

  test("breaks off fails the picture", async () => {
    answering(
      () =>
        new Response(
          new ReadableStream<Uint8Array>({
            start(controller) {
              controller.enqueue(png.slice(0, 20));
            },
            pull(controller) {
              controller.error(new Error("The connection was reset."));
            },
          }),
        ),
    );
    expect(await picturesOf(ADDRESS)).toBe("fetch_failed");
  });
});

describe("a required picture", () => {
  test.each<[string, string, () => Response, boolean]>([
    ["is at a private address", "https://10.0.0.1/a.png", () => body(png), false],
    ["is not one", ADDRESS, () => body(Buffer.from("<p>No</p>")), false],
    ["may be there later", ADDRESS, () => new Response("Busy", { status: 503 }), true],
  ])("that %s fails the render, with its field", async (_, address, answer, may_retry) => {
    answering(answer);
    expect(await renderInNode(REQUIRED, { picture: address })).toMatchObject({
      ok: false,
      code: "failed",
      may_retry,
      errors: [{ code: "IMAGE_FAILED", field: "values.picture" }],
    });
  });
});
