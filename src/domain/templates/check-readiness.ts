import type {
  PublishReadiness,
  ReadinessCheck,
} from "../../contracts/templates/design-template.ts";
import type {
  FontPin,
  RenderedTemplate,
  RenderFailure,
} from "../../contracts/templates/renderer.ts";
import type { TemplateRecord } from "../../contracts/templates/template-object-api.ts";
import { draftEtag } from "../../lib/http/draft-etag.ts";
import { type JsonValue, stringifyJson } from "../../lib/json/exact-json.ts";
import { askRenderer } from "../../platform/ask-renderer.ts";
import type { CallerContext } from "../../platform/context.ts";
import { compareContracts } from "../../templates/compatibility/compare-contracts.ts";
import { contractOf, type TemplateContract } from "../../templates/contract/contract-of.ts";
import { sampleCoverage } from "../../templates/contract/sample-coverage.ts";
import {
  validateDocument,
  type ValidatedDocument,
} from "../../templates/document/validate-document.ts";
import { parseContent } from "./change-draft.ts";
import { loadContract } from "./load-revision.ts";
import { readDraft } from "./read-content.ts";
import {
  compatibilityChecks,
  documentChecks,
  failedChecks,
  renderedChecks,
  resourceChecks,
  sortChecks,
} from "./readiness-checks.ts";
import { renderProblem } from "./render-directly.ts";
import { renderedDraft } from "./rendered-template.ts";

/** A draft's problems, and what a publication of it stores besides the document. */
export interface CheckedDraft {
  readonly checks: readonly ReadinessCheck[];
  readonly isReady: boolean;
  /** Null if the document is not valid. */
  readonly contract: TemplateContract | null;
  /** The font families that it names, as they stand now. */
  readonly fontPins: readonly FontPin[];
}

type Valid = Extract<ValidatedDocument, { ok: true }>;
type SampleSet = NonNullable<Valid["document"]["sampleSets"]>[number];

/** What prevents publishing the draft, and what should be looked at before. Throws `not_found`, `forbidden`, `design_render_busy`. */
export async function readReadiness(ctx: CallerContext, id: string): Promise<PublishReadiness> {
  const { record, content } = await readDraft(ctx, id, null);
  const { checks, isReady } = await checkDraft(ctx, record, content ?? new Uint8Array());
  return { can_publish: isReady, draft_etag: draftEtag(record), checks: [...checks] };
}

/**
 * Checks a draft: its document, what it names, a render of each sample set (of the document by itself if there is none),
 * what the sample sets leave out, and the compatibility with the latest revision. Throws `design_render_busy`.
 */
export async function checkDraft(
  ctx: CallerContext,
  record: TemplateRecord,
  content: Uint8Array,
): Promise<CheckedDraft> {
  const valid = validateDocument(await parseContent(ctx, content));
  if (!valid.ok) {
    const checks = documentChecks(valid.problems);
    return { checks, isReady: false, contract: null, fontPins: [] };
  }
  const { document, fields } = valid;
  const contract = contractOf(document, fields);
  const template = renderedDraft(record, content);
  const inspected = await askRenderer(ctx.env, (renderer) =>
    renderer.inspect({
      v: 1,
      workspace_id: ctx.principal.workspaceId,
      template,
    }),
  );
  if (!inspected.ok) {
    requireTurn(inspected);
    const checks = failedChecks(inspected, undefined);
    return { checks, isReady: false, contract, fontPins: [] };
  }
  const checks = sortChecks([
    ...resourceChecks(inspected),
    ...(await renderChecks(ctx, template, document.sampleSets ?? [])),
    ...sampleCoverage(document, fields),
    ...(await previousChecks(ctx, record, contract)),
  ]);
  const isReady = !checks.some(({ severity }) => severity === "blocking");
  return { checks, isReady, contract, fontPins: inspected.font_pins };
}

/** One render after the other: the renderer makes one at a time, and others of the workspace wait for theirs. */
async function renderChecks(
  ctx: CallerContext,
  template: RenderedTemplate,
  sets: readonly SampleSet[],
): Promise<ReadinessCheck[]> {
  const checks: ReadinessCheck[] = [];
  for (const set of sets.length === 0 ? [undefined] : sets) {
    const result = await askRenderer(ctx.env, (renderer) =>
      renderer.render({
        v: 1,
        workspace_id: ctx.principal.workspaceId,
        template,
        values: set === undefined ? "{}" : stringifyJson(set.values as JsonValue),
        unknown_values: "ignore",
        options: {
          missing_policy: set === undefined ? "use_template_default" : "fail_required",
          overflow_policy: "template",
          max_repeat: null,
          page_selection: "all",
          pdf_export_mode: "standard",
          color_profile_guid: null,
          max_page_dimension: 64,
        },
        has_pdf: false,
        images: "none",
        may_queue: false,
      }),
    );
    if (result.ok) {
      checks.push(...renderedChecks(result, set?.id));
    } else {
      requireTurn(result);
      checks.push(...failedChecks(result, set));
    }
  }
  return checks;
}

async function previousChecks(
  ctx: CallerContext,
  { id, latest }: TemplateRecord,
  contract: TemplateContract,
): Promise<ReadinessCheck[]> {
  if (latest === null) {
    return [];
  }
  const version = { ...latest, template_id: id, font_pins: [] };
  const previous = await loadContract(ctx.env, ctx.principal.workspaceId, version);
  return previous === undefined
    ? []
    : compatibilityChecks(compareContracts(previous.contract, contract), latest.revision);
}

/** A render that was not begun says nothing about the draft. */
function requireTurn(failure: RenderFailure): void {
  if (failure.code === "busy") {
    throw renderProblem(failure);
  }
}
