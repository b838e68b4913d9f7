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
import conditions from "../../golden/templates/conditions.json";
import containers from "../../golden/templates/containers.json";
import elements from "../../golden/templates/elements.json";
import fields from "../../golden/templates/fields.json";
import images from "../../golden/templates/images.json";
import pages from "../../golden/templates/pages.json";
import shapes from "../../golden/templates/shapes.json";
import texts from "../../golden/templates/texts.json";

const AREAS = { conditions, containers, elements, fields, images, pages, shapes, texts };
const EXPECTED = AREAS as unknown as Readonly<
  Record<string, Readonly<Record<string, GoldenRender>>>
>;
const cases = Object.entries(EXPECTED).flatMap(([area, all]) =>
  Object.keys(all).map((name) => ({ area, name })),
);
const stride = sizeOf("goldenStride");

describe("golden renders in workerd", () => {
  it("are those of all areas", () => {
    expect(Object.keys(EXPECTED)).toEqual(Object.keys(GOLDEN_CASES));
  });

  it.each(cases.filter((_, i) => i % stride === 0))("$area: $name", async ({ area, name }) => {
    const golden = GOLDEN_CASES[area]?.[name];
    const expected = EXPECTED[area]?.[name];
    if (golden === undefined || expected === undefined) {
      throw new Error("The golden render is not one of the cases.");
    }
    const request = await templateRequest(golden.document, golden.values, goldenRequest(golden));
    const rendered = await env.RENDERER.render(request);
    if (!rendered.ok) {
      const { code, message, errors } = rendered;
      expect({ failure: { code, message, errors } }).toEqual(expected);
      return;
    }
    await new Response(rendered.body).bytes();
    expect({
      pdf: rendered.pdf?.sha256,
      pages: rendered.pages.map(({ image }) => image?.sha256),
      report: briefReport(rendered.report),
    }).toEqual(expected);
  });
});
