/** HarfBuzz's wasm stops in the middle of a render: the next one has another instance, and the same bytes. */
import { expect, test, vi } from "vitest";
import type * as Instantiate from "../../../../src/render/fonts/instantiate-harfbuzz.ts";
import { parseJson } from "../../../../src/lib/json/exact-json.ts";
import { madeInNode, renderInNode } from "../../../support/render/node-renderer.ts";

const trap = vi.hoisted(() => ({ isSet: false, instances: 0 }));

vi.mock("../../../../src/render/fonts/instantiate-harfbuzz.ts", async (original) => {
  const { instantiateHarfBuzz } = await original<typeof Instantiate>();
  return {
    instantiateHarfBuzz(...given: Parameters<typeof instantiateHarfBuzz>) {
      trap.instances += 1;
      const hb = instantiateHarfBuzz(...given);
      return {
        ...hb,
        hb_shape(...call: Parameters<typeof hb.hb_shape>) {
          if (trap.isSet) {
            throw new WebAssembly.RuntimeError("unreachable");
          }
          hb.hb_shape(...call);
        },
      };
    },
  };
});

const documentWith = (text: string) =>
  parseJson(
    JSON.stringify({
      schemaVersion: "2.0",
      pages: [
        {
          id: "0b1f4c52-6d1c-4d55-9a36-000000000001",
          width: 200,
          height: 100,
          elements: [
            {
              $type: "text",
              id: "0b1f4c52-6d1c-4d55-9a36-000000000002",
              width: 180,
              height: 40,
              text,
            },
          ],
        },
      ],
    }),
  );

test("fails that render alone", async () => {
  const before = await madeInNode(documentWith("Harbor fee"), {});
  const { instances } = trap;
  trap.isSet = true;
  expect(await renderInNode(documentWith("Other words"), {})).toMatchObject({
    ok: false,
    code: "unavailable",
    message: expect.stringContaining("font"),
  });
  trap.isSet = false;
  // Not a run that was kept: it is shaped by the new instance.
  const other = await madeInNode(documentWith("Third words"), {});
  expect(other.report.status).toBe("ok");
  expect(trap.instances).toBe(instances + 1);
  const after = await madeInNode(documentWith("Harbor fee"), {});
  expect(Buffer.compare(before.pdf, after.pdf)).toBe(0);
});
