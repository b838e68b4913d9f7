/** Problems of a draft as its readiness shows them (docs/contract/templates.md#revisions). Pure. */
import type { ReadinessCheck } from "../../contracts/templates/design-template.ts";
import type {
  Inspected,
  MissingResource,
  Rendered,
  RenderFailure,
} from "../../contracts/templates/renderer.ts";
import type { ContractChange } from "../../templates/compatibility/compare-contracts.ts";
import type { DocumentProblem } from "../../templates/document/problem.ts";

/** Of the errors of one render, and of the problems of a document. */
const SHOWN_MAX = 100;

const CHANGED: Readonly<Partial<Record<ContractChange["code"], string>>> = {
  field_removed: "is gone",
  item_key_removed: "is gone",
  field_retyped: "has another type",
  item_key_retyped: "has another type",
  required_added: "must be given now",
  item_required_added: "must be given now",
  list_limit_lowered: "prints fewer items",
};

export function documentChecks(problems: readonly DocumentProblem[]): ReadinessCheck[] {
  return problems.slice(0, SHOWN_MAX).map(({ field, message }) => ({
    code: "document_invalid",
    severity: "blocking",
    message: `${field}: ${message}`,
    suggested_action: "Change the document.",
  }));
}

/** Fonts and stored pictures that the document names, and that are not there. */
export function resourceChecks({ missing_fonts, missing_pictures }: Inspected): ReadinessCheck[] {
  return [
    ...missing_fonts.map((missing): ReadinessCheck => ({
      code: "font_unavailable",
      severity: "blocking",
      message: `There is no font "${missing.name}".`,
      suggested_action: "Upload the font family, or choose another one.",
      ...placeOf(missing),
    })),
    ...missing_pictures.map((missing) =>
      pictureIsGone(`The stored picture ${missing.name.slice(0, 200)} is gone.`, placeOf(missing)),
    ),
  ];
}

/** Problems of a render that succeeded; `sampleSetId` is undefined for the document by itself. */
export function renderedChecks(
  { report, checks, pages }: Rendered,
  sampleSetId: string | undefined,
): ReadinessCheck[] {
  const ofSet = sampleSetId !== undefined && { sample_set_id: sampleSetId };
  const place = (elementId: string | undefined, pageNumber: number | undefined) => {
    const page = pages.find(({ page_number: number }) => number === pageNumber);
    return {
      ...(page !== undefined && { page_id: page.page_id }),
      ...(elementId !== undefined && elementId !== "" && { element_id: elementId }),
      ...ofSet,
    };
  };
  const pictures = report.images.map(({ element_id, page_number, field, reason }) => {
    const at = { ...place(element_id, page_number), ...(field !== null && { field }) };
    return reason === "not_found"
      ? pictureIsGone("The stored picture is gone.", at)
      : ({
          code: "image_failed",
          severity: "warning",
          message: `The picture is not printed: ${reason}.`,
          suggested_action: "Use another picture.",
          ...at,
        } as const);
  });
  const others = checks.flatMap(({ code, message, element_id, page_number }): ReadinessCheck[] => {
    const action = ACTIONS[code];
    return action === undefined
      ? []
      : [
          {
            code: code as "text_cut",
            severity: "warning",
            message,
            suggested_action: action,
            ...place(element_id, page_number),
          },
        ];
  });
  return [...pictures, ...others];
}

/** Codes of a render's own checks that are warnings here. */
const ACTIONS: Readonly<Partial<Record<Rendered["checks"][number]["code"], string>>> = {
  text_cut: "Make the box larger, or choose another overflow mode.",
  list_overflowed: "Give the list more room, or let it continue on further pages.",
  missing_glyphs: "Choose a font that has the characters, or add a fallback font.",
  outside_page: "Move the element onto the page.",
};

/** A render that failed: of a sample set, or of the document by itself. */
export function failedChecks(
  { message, errors }: RenderFailure,
  sampleSet: { readonly id: string; readonly name: string } | undefined,
): ReadinessCheck[] {
  const base =
    sampleSet === undefined
      ? ({
          code: "render_failed",
          severity: "blocking",
          suggested_action: "Change the document.",
        } as const)
      : ({
          code: "sample_set_failed",
          severity: "blocking",
          suggested_action: "Change the values of the sample set, or the document.",
          sample_set_id: sampleSet.id,
        } as const);
  const named = sampleSet === undefined ? "" : `Sample set "${sampleSet.name}": `;
  return errors.length === 0
    ? [{ ...base, message: `${named}${message}` }]
    : errors.slice(0, SHOWN_MAX).map(({ field, message: text }) => ({
        ...base,
        message: `${named}${text}`,
        ...(field !== "" && { field: field.replace(/^values\.?/, "") }),
      }));
}

/** What breaks workflows with the latest revision, if this becomes the next one. */
export function compatibilityChecks(
  changes: readonly ContractChange[],
  latestRevision: number,
): ReadinessCheck[] {
  return changes
    .filter(({ compatible }) => !compatible)
    .map(({ code, path }) => {
      const what = CHANGED[code];
      return {
        code: "incompatible_with_previous",
        severity: "warning",
        message:
          what === undefined
            ? `The pages are not those of revision ${latestRevision}.`
            : `The field "${path}" of revision ${latestRevision} ${what}.`,
        suggested_action:
          "Workflows keep their revision. Review them with GET /api/v1/workflows/{id}/template-revisions.",
        ...(what !== undefined && { field: path }),
      };
    });
}

/** Blocking problems first. A problem of one element that several sample sets show stands once. */
export function sortChecks(checks: readonly ReadinessCheck[]): ReadinessCheck[] {
  const once = new Map<string, ReadinessCheck>();
  for (const check of checks) {
    const { code, severity, message, page_id, element_id, field, sample_set_id } = check;
    const isOfElement = severity === "warning" && element_id !== undefined;
    const key = JSON.stringify(
      isOfElement
        ? [code, page_id, element_id, field]
        : [code, page_id, element_id, field, message, sample_set_id],
    );
    once.set(key, once.get(key) ?? check);
  }
  const all = [...once.values()];
  return [
    ...all.filter(({ severity }) => severity === "blocking"),
    ...all.filter(({ severity }) => severity === "warning"),
  ];
}

function pictureIsGone(message: string, place: object): ReadinessCheck {
  return {
    code: "image_unavailable",
    severity: "blocking",
    message,
    suggested_action: "Upload the picture again, or use another one.",
    ...place,
  };
}

function placeOf({ page_id, element_id }: MissingResource) {
  return {
    ...(page_id !== null && { page_id }),
    ...(element_id !== null && { element_id }),
  };
}
