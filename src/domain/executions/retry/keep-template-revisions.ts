import {
  type ResolvedReference,
  type ResolveReferences,
  referenceKey,
} from "../../../contracts/references.ts";
import type { ReferencedTemplate } from "../../../contracts/templates/template-reference.ts";
import { References } from "../../../engine/compile/references.ts";
import { isJsonObject } from "../../../lib/json/exact-json.ts";
import { templateReference } from "../../references/resolve-templates.ts";

/** Of a node that follows compatible revisions (`contracts/templates/template-reference.ts`). */
const FOLLOWS = /^\d+\+$/;

/**
 * The references of a retry, in which a node that follows compatible revisions of a template prints the one that its source
 * took (docs/contract/templates.md#pins). A revision that is not what it was cannot be printed.
 */
export async function keepTemplateRevisions(
  references: References,
  source: readonly ResolvedReference[],
  resolve: ResolveReferences,
): Promise<References> {
  const before = new Map(source.map((reference) => [referenceKey(reference), reference]));
  const list = await Promise.all(
    references.list.map(async (reference) => {
      const known =
        reference.kind === "template" && FOLLOWS.test(reference.revision ?? "")
          ? templateOf(before.get(referenceKey(reference)))
          : undefined;
      return known === undefined ? reference : await withRevisionOf(reference, known, resolve);
    }),
  );
  return new References(list);
}

async function withRevisionOf(
  reference: ResolvedReference,
  known: ReferencedTemplate,
  resolve: ResolveReferences,
): Promise<ResolvedReference> {
  const now = templateOf(reference);
  if (now === undefined || now.unavailable !== undefined || now.revision === known.revision) {
    return reference;
  }
  const { kind, id } = reference;
  const [found] = await resolve([{ kind, id, revision: String(known.revision) }]);
  const kept = templateOf(found);
  if (kept === undefined) {
    return reference;
  }
  const isSame =
    kept.version_id === known.version_id &&
    kept.content_hash === known.content_hash &&
    kept.contract_hash === known.contract_hash;
  return templateReference(
    reference,
    isSame
      ? kept
      : {
          ...kept,
          unavailable: `Revision ${known.revision} of the template is not the one that the run printed.`,
        },
  );
}

/** The template of a reference to one of its revisions; undefined for anything else. */
function templateOf(reference: ResolvedReference | undefined): ReferencedTemplate | undefined {
  const content = reference?.failed === undefined ? reference?.content : undefined;
  return content !== undefined && isJsonObject(content) && typeof content["revision"] === "number"
    ? // Only the resolver of templates makes such content.
      (content as unknown as ReferencedTemplate)
    : undefined;
}
