import * as z from "zod";
import { AudioProcessingReport, AudioQualityReport } from "../../contracts/media/audio-reports.ts";
import { AudioTimeline } from "../../contracts/media/audio-timeline.ts";
import { BundleManifest } from "../../contracts/files/bundle-manifest.ts";
import { DatasetManifest, DatasetProfile } from "../../contracts/dataset.ts";
import { DubbingManifest } from "../../contracts/media/dubbing-manifest.ts";
import { FontReference } from "../../contracts/files/font.ts";
import { LayoutReport } from "../../contracts/templates/layout-report.ts";
import { PagesManifest } from "../../contracts/templates/pages-manifest.ts";
import { QualityCheck } from "../../contracts/quality-check.ts";
import { QUALITY_POLICY_REF, QualityPolicy } from "../../contracts/quality-policy.ts";
import { SpeechReport, StemReport } from "../../contracts/media/sound-reports.ts";
import { DESIGN_DOCUMENT_REF, DesignDocument } from "../../templates/document/design-document.ts";

/** The structured contracts that a route or node accepts or returns. */
const SCHEMAS: ReadonlyMap<string, { readonly schema: z.ZodType; readonly title: string }> =
  new Map([
    [
      "svc.audio-processing-report/v1",
      { schema: AudioProcessingReport, title: "Audio processing report" },
    ],
    ["svc.audio-quality-report/v1", { schema: AudioQualityReport, title: "Audio quality report" }],
    ["svc.audio-timeline/v1", { schema: AudioTimeline, title: "Audio timeline" }],
    ["svc.bundle-manifest/v1", { schema: BundleManifest, title: "Bundle manifest" }],
    ["svc.dataset/v1", { schema: DatasetManifest, title: "Dataset" }],
    ["svc.dataset-profile/v1", { schema: DatasetProfile, title: "Dataset profile" }],
    ["svc.design-pages-manifest/v1", { schema: PagesManifest, title: "Pages manifest" }],
    [DESIGN_DOCUMENT_REF, { schema: DesignDocument, title: "Design document" }],
    ["svc.dubbing-manifest/v1", { schema: DubbingManifest, title: "Dubbing manifest" }],
    ["svc.font-reference/v1", { schema: FontReference, title: "Font reference" }],
    ["svc.quality-check/v1", { schema: QualityCheck, title: "Quality check" }],
    [QUALITY_POLICY_REF, { schema: QualityPolicy, title: "Quality policy" }],
    ["svc.stem-separation/v1", { schema: StemReport, title: "Stem separation" }],
    ["svc.template-layout-report/v1", { schema: LayoutReport, title: "Template layout report" }],
    ["svc.tts-generation/v1", { schema: SpeechReport, title: "Speech generation" }],
  ]);

/** Every available `schema_ref`. */
export const SCHEMA_REFS: readonly string[] = [...SCHEMAS.keys()];

/** The JSON Schema of each structured contract, by `schema_ref`. */
export function listJsonSchemas(): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    [...SCHEMAS].map(([ref, { schema, title }]) => [ref, jsonSchema(ref, schema, title)]),
  );
}

function jsonSchema(ref: string, declared: z.ZodType, title: string): Record<string, unknown> {
  // A named schema may be behind a reference to one of its own definitions.
  const whole = z.toJSONSchema(declared, { unrepresentable: "any", io: "input" });
  const name = whole.$ref?.replace("#/$defs/", "");
  const { [name ?? ""]: root, ...others } = whole.$defs ?? {};
  const { $schema, $ref: _ref, $defs: _defs, id: _id, ...rest } = whole;
  const { id: _name, ...schema } = root ?? rest;
  return {
    $schema,
    $id: `urn:${ref}`,
    title,
    ...schema,
    ...(Object.keys(others).length > 0 && { $defs: others }),
  };
}
