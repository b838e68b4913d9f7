/** The renderer in workerd makes the files that it makes in Node (`test/unit/render/golden/`). */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { GOLDEN_CASES } from "../../support/render/golden/golden-cases.ts";
import {
  briefReport,
  goldenRequest,
  type GoldenRender,
} from "../../support/render/golden/golden-render.ts";
import { templateRequest } from "../../support/render/template-request.ts";
import { sizeOf } from "../../support/sizes.ts";
import containers from "../../golden/templates/containers.json";
import images from "../../golden/templates/images.json";
import shapes from "../../golden/templates/shapes.json";
import texts from "../../golden/templates/texts.json";

const EXPECTED = { containers, images, shapes, texts } as unknown as Readonly<
  Record<string, Readonly<Record<string, GoldenRender>>>
>;
const cases = Object.entries(EXPECTED).flatMap(([area, all]) =>
  Object.keys(all).map((name) => ({ area, name })),
);
/** A part of the cases that Node renders: it is the platform that differs, not the document. */
const STRIDE_OF_PLATFORM = 3;
const stride = STRIDE_OF_PLATFORM * sizeOf("goldenStride");

describe("golden renders in workerd", () => {
  it.each(cases.filter((_, i) => i % stride === 0))("$area: $name", async ({ area, name }) => {
    const golden = GOLDEN_CASES[area]?.[name];
    const expected = EXPECTED[area]?.[name];
    if (golden === undefined || expected === undefined || "failure" in expected) {
      return;
    }
    const request = await templateRequest(golden.document, golden.values, goldenRequest(golden));
    const rendered = await env.RENDERER.render(request);
    if (!rendered.ok) {
      throw new Error(rendered.message);
    }
    await new Response(rendered.body).bytes();
    expect({
      pdf: rendered.pdf?.sha256,
      pages: rendered.pages.map(({ image }) => image?.sha256),
      report: briefReport(rendered.report),
    }).toEqual(expected);
  });
});
