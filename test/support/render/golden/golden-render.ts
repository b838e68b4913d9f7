import { createHash } from "node:crypto";
import type { LayoutReport } from "../../../../src/contracts/templates/layout-report.ts";
import type { RenderFailure } from "../../../../src/contracts/templates/renderer.ts";
import type { RenderInNode } from "../node-renderer.ts";
import type { RequestChange } from "../template-request.ts";
import type { GoldenCase } from "./golden-case.ts";

/** Longest side of the page images, in pixels. */
const IMAGE_PIXELS = 160;

/** What is kept of a render: SHA-256 of its files, and of the report the members that are not 0 and not empty. */
export type GoldenRender =
  | {
      readonly pdf: string;
      readonly pages: readonly string[];
      readonly report: Partial<LayoutReport>;
    }
  | { readonly failure: Pick<RenderFailure, "code" | "message" | "errors"> };

export function goldenRequest({ options }: GoldenCase): RequestChange {
  return { images: "all", options: { ...options, max_page_dimension: IMAGE_PIXELS } };
}

export function goldenOf(made: RenderInNode | RenderFailure): GoldenRender {
  if (!made.ok) {
    const { code, message, errors } = made;
    return { failure: { code, message, errors } };
  }
  return {
    pdf: sha256(made.pdf ?? new Uint8Array()),
    pages: made.pages.map(({ image }) => sha256(image?.kept ?? new Uint8Array())),
    report: briefReport(made.report),
  };
}

/** The name of a case's page image below `test/golden/templates/`. `page` counts from 1. */
export function imageName(area: string, name: string, page: number): string {
  return `pages/${area}/${name.replaceAll(/[^A-Za-z0-9]+/g, "-").toLowerCase()}-${page}.png`;
}

/** Without what is the same for every case, what is a time, and what is 0 or empty: reports that differ stay different. */
export function briefReport(report: LayoutReport): Partial<LayoutReport> {
  const {
    schema: _,
    template_id: _id,
    revision: _r,
    version_id: _v,
    duration_ms: _d,
    ...rest
  } = report;
  return Object.fromEntries(
    Object.entries(rest).filter(
      ([, value]) => value !== 0 && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
