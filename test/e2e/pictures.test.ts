/** Pictures from the upload to the download, converted by the real runner and checked by independent decoders. */
import { beforeAll, describe, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { flattenRaster } from "../../src/images/raster/flatten-raster.ts";
import { decodeElsewhere, psnr } from "../support/images/judge-picture.ts";
import { readWithZbar } from "../support/images/read-with-zbar.ts";
import {
  avifFile,
  gifFile,
  jpegFile,
  orientedJpeg,
  pngFile,
  progressiveJpegFile,
  samplePicture,
  webpFile,
} from "../support/images/sample-files.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";
import { IS_PROOF } from "../support/sizes.ts";

const FORMATS = ["original", "png", "jpg", "webp"] as const;
const EXTENSIONS = { png: "png", jpg: "jpg", webp: "webp" } as const;

let service: SharedService;
let convert: string;

const node = (id: string, type: string, parameters: unknown = {}) => ({
  id,
  type,
  label: id,
  parameters,
});
const wire = (from: string, to: string) => {
  const [a, b] = from.split(".");
  const [c, d] = to.split(".");
  return { from: { node: a, port: b }, to: { node: c, port: d } };
};

beforeAll(async () => {
  service = await sharedService();
  convert = await publish(service.client, {
    name: "Convert",
    description: "",
    tags: [],
    definition: {
      nodes: [
        node("picture", "input/image"),
        ...FORMATS.map((format) => node(format, "output/image", { format })),
      ],
      connections: FORMATS.map((format) => wire("picture.image", `${format}.image`)),
    },
  } as never);
});

function upload(name: string, content: string | Uint8Array): Promise<string> {
  return uploadAsset(service.client, name, content);
}

async function run(workflow: string, inputs: Record<string, unknown>) {
  const id = await submitRun(service.client, { workflow, inputs } as never);
  const execution = await waitForRun(service.client, id);
  const { result } = await readResult(service.client, id);
  const file = async (key: string) => {
    const url = result.by_key[key]?.url ?? "";
    const response = await fetch(url);
    return {
      name: decodeURIComponent(url.split("/").at(-1) ?? ""),
      type: response.headers.get("content-type"),
      bytes: new Uint8Array(await response.arrayBuffer()),
    };
  };
  return { execution, file };
}

const convertFile = async (name: string, bytes: Uint8Array | string) =>
  run(convert, { picture: { asset_path: await upload(name, bytes) } });

const clear = samplePicture(160, 100, true);
const opaque = samplePicture(160, 100);
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50"><script>1</script><rect x="10" y="5" width="80" height="40" rx="20" fill="#0a5"/></svg>`;

describe("an uploaded picture", () => {
  it.each([
    ["a.png", pngFile(clear), clear],
    ["b.jpg", jpegFile(opaque), opaque],
    ["c.jpeg", progressiveJpegFile(opaque), opaque],
    ["d.webp", webpFile(clear), clear],
    ["e.webp", webpFile(clear, true), clear],
    ["f.gif", gifFile(opaque), undefined],
    ["g.avif", avifFile(opaque), opaque],
  ] as const)("%s comes out in each format", async (name, bytes, source) => {
    const { execution, file } = await convertFile(name, bytes);
    expect(execution.status).toBe("completed");
    const original = await file("original");
    expect(Buffer.from(original.bytes).equals(bytes)).toBe(true);
    // The colors of a GIF differ from those of its source.
    const expected = source ?? decodeElsewhere(bytes);
    for (const format of ["png", "jpg", "webp"] as const) {
      const out = await file(format);
      const isSame = original.type === out.type;
      expect(out.type).toBe({ png: "image/png", jpg: "image/jpeg", webp: "image/webp" }[format]);
      expect(out.name.endsWith(isSame ? name : `${name[0]}.${EXTENSIONS[format]}`)).toBe(true);
      if (isSame) {
        expect(Buffer.from(out.bytes).equals(bytes)).toBe(true);
      }
      const decoded = decodeElsewhere(out.bytes);
      expect(psnr(flattenRaster(decoded), flattenRaster(expected))).toBeGreaterThan(28);
      // Outside the disc: exactly white in a JPEG, and transparent in the other formats.
      const corner = [...decoded.rgba.subarray(0, 4)];
      if (expected.rgba[3] === 0) {
        expect(format === "jpg" ? corner : corner[3]).toEqual(
          format === "jpg" ? [255, 255, 255, 255] : 0,
        );
      }
    }
  });

  it("taken with the camera upright comes out upright", async () => {
    const { file } = await convertFile("photo.jpg", orientedJpeg(jpegFile(opaque), 6));
    const { width, height } = decodeElsewhere((await file("webp")).bytes);
    expect([width, height]).toEqual([100, 160]);
  });

  it("that is an SVG is drawn 2048 px on its longest side", async () => {
    const { execution, file } = await convertFile("logo.svg", LOGO);
    expect(execution.status).toBe("completed");
    const original = await file("original");
    expect([original.type, Buffer.from(original.bytes).includes("script")]).toEqual([
      "image/svg+xml",
      false,
    ]);
    const drawn = decodeElsewhere((await file("png")).bytes);
    // The other formats in the proof: their files of 2,048 px take seconds in the decoder of the test.
    for (const format of IS_PROOF ? (["png", "jpg", "webp"] as const) : (["png"] as const)) {
      const decoded = decodeElsewhere((await file(format)).bytes);
      expect([decoded.width, decoded.height]).toEqual([2_048, 1_024]);
      expect(psnr(flattenRaster(decoded), flattenRaster(drawn))).toBeGreaterThan(35);
      const corner = [...decoded.rgba.subarray(0, 4)];
      expect(format === "jpg" ? corner : corner[3]).toEqual(
        format === "jpg" ? [255, 255, 255, 255] : 0,
      );
    }
  });

  it.each([
    [
      "an SVG with an embedded picture",
      "embedded.svg",
      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image width="9" height="9" href="data:image/png;base64,${Buffer.from(pngFile(samplePicture(4, 4))).toString("base64")}"/></svg>`,
      "SVG_UNDRAWABLE",
      /embeds a picture \(<image>\)/,
    ],
    [
      "an SVG of 2,001 elements",
      "many.svg",
      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${'<path d="M0 0h1v1z"/>'.repeat(2_000)}</svg>`,
      "SVG_UNDRAWABLE",
      /has 2001 elements; at most 2000 can be drawn/,
    ],
    [
      "a photograph that was cut short",
      "cut.jpg",
      jpegFile(opaque).subarray(0, 3_000),
      "IMAGE_UNREADABLE",
      /cut short/,
    ],
    [
      "a PNG that claims 60000 × 60000 px",
      "bomb.png",
      (() => {
        const bytes = pngFile(opaque);
        new DataView(bytes.buffer).setUint32(16, 60_000);
        new DataView(bytes.buffer).setUint32(20, 60_000);
        return bytes;
      })(),
      "IMAGE_TOO_LARGE",
      /60000 × 60000 px/,
    ],
  ] as const)(
    "%s is returned unchanged, and its conversions fail with the reason",
    async (_name, name, bytes, code, reason) => {
      const { execution, file } = await convertFile(name, bytes);
      expect(execution.status).toBe("partial_success");
      expect((await file("original")).bytes.length).toBeGreaterThan(0);
      // A trace has a fixed sentence for each code; the execution has the node's own message.
      expect(execution.error_code).toBe(code);
      expect(execution.error_message).toMatch(reason);
      const trace = await service.client.call<{ nodes: { error: { code: string } | null }[] }>(
        "GET",
        `/api/v1/executions/${execution.id}/trace`,
      );
      const codes = trace.nodes.flatMap(({ error }) => (error === null ? [] : [error.code]));
      // All formats except the file's own.
      expect(codes).toEqual(Array.from({ length: name.endsWith(".svg") ? 3 : 2 }, () => code));
    },
  );
});

describe("a QR code", () => {
  it.each(["jpg", "webp"] as const)(
    "still scans as %s, with a logo of any format",
    async (format) => {
      const text = "https://example.com/tickets/42?gate=B";
      const workflow = await publish(service.client, {
        name: `Code as ${format}`,
        description: "",
        tags: [],
        definition: {
          nodes: [
            node("logo", "input/image"),
            node("text", "input/text"),
            node("code", "image/code", { symbology: "qr", size: 400 }),
            node("out", "output/image", { format, quality: 40 }),
          ],
          connections: [
            wire("text.text", "code.text"),
            wire("logo.image", "code.logo"),
            wire("code.image", "out.image"),
          ],
        },
      } as never);
      const logos = {
        "l.jpg": jpegFile(opaque),
        "l.webp": webpFile(clear),
        "l.gif": gifFile(opaque),
        "l.avif": avifFile(opaque),
      };
      for (const [name, bytes] of Object.entries(logos)) {
        const { execution, file } = await run(workflow, {
          logo: { asset_path: await upload(name, bytes) },
          text: { value: JSON.stringify(text) },
        });
        expect(execution.status, name).toBe("completed");
        const decoded = decodeElsewhere((await file("out")).bytes);
        expect(await readWithZbar(decoded, true), name).toContain(text);
      }
    },
  );
});
