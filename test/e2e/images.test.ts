/** The drawing tools inside workerd, bundled as the runner is, with all their wasm modules. */
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleWorker } from "../../scripts/bundle-worker.ts";
import { codeSpec, SVG_LOGO } from "../support/images/code-spec.ts";
import { expectWithin } from "../support/expect-within.ts";

let workerd: Miniflare;

beforeAll(async () => {
  const entry = fileURLToPath(new URL("../support/images/tools-worker.ts", import.meta.url));
  workerd = new Miniflare({
    modules: await bundleWorker(entry),
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
  });
});

afterAll(() => workerd.dispose());

interface Reply {
  readonly text: string;
  readonly found: { format: string; text: string }[];
  readonly fromSvg: { format: string; text: string }[] | { reason: string };
  readonly code?: string;
}

async function draw(body: unknown): Promise<{ status: number; answer: Reply }> {
  const response = await workerd.dispatchFetch("http://tools/draw", {
    method: "POST",
    body: JSON.stringify(body),
  });
  return { status: response.status, answer: (await response.json()) as Reply };
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

describe("inside workerd", () => {
  test.each([
    ["qr", "https://example.com/é?a=1"],
    ["ean13", "590123412345"],
    ["code128", "Hello, world! {42}"],
  ] as const)(
    "%s is drawn, encoded, decoded and read, as pixels and as SVG",
    async (symbology, text) => {
      const { answer: reply } = await draw({ spec: codeSpec({ symbology, text, size: 300 }) });
      const read = [
        {
          format: { qr: "QRCode", ean13: "EAN13", code128: "Code128" }[symbology],
          text: reply.text,
        },
      ];
      expect(reply.found).toEqual(read);
      expect(reply.fromSvg).toEqual(read);
    },
  );

  test("a logo may be an SVG, which stays drawable, or a PNG, which the renderer rejects with the reason", async () => {
    const spec = codeSpec({ moduleShape: "rounded" });
    const vector = await draw({
      spec,
      logo: { base64: base64(SVG_LOGO), contentType: "image/svg+xml" },
    });
    const read = [{ format: "QRCode", text: spec.text }];
    expect(vector.answer).toMatchObject({ found: read, fromSvg: read });
    const pixels = new Uint8ClampedArray(32 * 32 * 4).map((_, i) => (i % 4 === 3 ? 255 : i % 251));
    const raw = { width: 32, height: 32, channels: 4 } as const;
    const logo = await sharp(pixels, { raw }).png().toBuffer();
    const picture = await draw({
      spec,
      logo: { base64: base64(logo), contentType: "image/png" },
    });
    expect(picture.answer).toMatchObject({
      found: read,
      fromSvg: { reason: expect.stringContaining("embeds a picture") as string },
    });
  });

  test("a bad logo and a bad SVG fail with their codes", async () => {
    const logo = { base64: base64(new Uint8Array(9)), contentType: "image/png" };
    const refused = await draw({ spec: codeSpec(), logo });
    expect([refused.status, refused.answer.code]).toEqual([422, "IMAGE_UNREADABLE"]);
    const svg = await workerd.dispatchFetch("http://tools/svg", { method: "POST", body: "<svg" });
    expect([svg.status, ((await svg.json()) as Reply).code]).toEqual([422, "SVG_UNDRAWABLE"]);
  });

  test("a hundred codes of 256 px are drawn, encoded and read back within four seconds", async () => {
    const spec = codeSpec();
    await draw({ spec, times: 10 });
    // About 3 ms each on a quiet machine; the bound leaves room for a busy one.
    await expectWithin(4_000, async () => {
      const { answer: reply } = await draw({ spec, times: 100 });
      expect(reply.found).toHaveLength(1);
    });
  });
});
