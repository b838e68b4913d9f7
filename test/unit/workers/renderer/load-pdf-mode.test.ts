/** The color profile of a PDF/X-4: read and deflated once for as long as it is kept. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { pressProfile } from "../../../../scripts/press-profile.ts";
import type { RenderRequest } from "../../../../src/contracts/templates/renderer.ts";
import { WeightedCache } from "../../../../src/lib/memory/weighted-cache.ts";
import type { PackedProfile } from "../../../../src/render/pdf/pdf-resources.ts";
import { loadPdfMode } from "../../../../src/workers/renderer/resources/load-pdf-mode.ts";
import { testInProof } from "../../../support/in-proof.ts";

const KEPT_BYTES = 4 * 1024 * 1024;
const LARGEST_BYTES = 10 * 1024 * 1024;

/** A store of profiles that notes what is read. */
function storeOf(files: Readonly<Record<string, Uint8Array>>) {
  const reads: string[] = [];
  const kept = new WeightedCache<PackedProfile>(KEPT_BYTES);
  const FILES = {
    get: (key: string) => {
      reads.push(key);
      const file = files[key];
      return Promise.resolve(
        file === undefined
          ? null
          : { size: file.length, arrayBuffer: () => Promise.resolve(file.slice().buffer) },
      );
    },
  } as unknown as R2Bucket;
  const load = async (workspace: string, bytes: Uint8Array) => {
    const request = {
      workspace_id: workspace,
      template: { changed_at_ms: 0 },
      options: {
        pdf_export_mode: "pdfx4",
        color_profile: {
          name: "A press",
          output_condition_identifier: "Custom",
          sha256: createHash("sha256").update(bytes).digest("hex"),
          size_bytes: bytes.length,
          key: `${workspace}/press.icc`,
        },
      },
    };
    const loaded = await loadPdfMode({ env: { FILES }, kept }, request as unknown as RenderRequest);
    return loaded?.mode.kind === "pdfx4" ? loaded.mode.profile : undefined;
  };
  return { reads, kept, load };
}

test("is read once for each workspace", async () => {
  const bytes = pressProfile();
  const { reads, load } = storeOf({ "a/press.icc": bytes, "b/press.icc": bytes });
  const first = await load("a", bytes);
  expect(first).toMatchObject({ space: "CMYK", packed: { isDeflated: true } });
  expect(await load("a", bytes)).toBe(first);
  expect(await load("b", bytes)).toEqual(first);
  expect(reads).toEqual(["a/press.icc", "b/press.icc"]);
});

test("is not kept if its bytes are others, or gone", async () => {
  const [bytes, other] = [pressProfile(), pressProfile()];
  other[200] = 1 + (other[200] ?? 0);
  const { kept, load } = storeOf({ "a/press.icc": other });
  expect([await load("a", bytes), await load("b", bytes)]).toEqual([undefined, undefined]);
  expect(kept.weight).toBe(0);
});

testInProof("has at most 10 MiB, and what is kept stays small", async () => {
  const bytes = new Uint8Array(LARGEST_BYTES);
  bytes.set(pressProfile());
  // Incompressible, so that it is larger than all that is kept.
  let state = 1;
  for (let at = pressProfile().length; at < bytes.length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
    bytes[at] = state >>> 16;
  }
  new DataView(bytes.buffer).setUint32(0, bytes.length);
  const { reads, kept, load } = storeOf({ "a/press.icc": bytes });
  const packed = await load("a", bytes);
  expect(packed?.packed.bytes.length).toBeGreaterThan(KEPT_BYTES);
  const again = await load("a", bytes);
  expect(Buffer.compare(again!.packed.bytes, packed!.packed.bytes)).toBe(0);
  expect([reads.length, kept.weight]).toEqual([2, 0]);
});
