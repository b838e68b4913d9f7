import { LIMITS } from "../../../lib/limits/limits-table.ts";
import type { DisplayItem } from "../../display-list.ts";
import type { Placeholder } from "../../document/field.ts";
import type { LaidText } from "../../text/laid-text.ts";
import type { TextSpec } from "../../text/text-spec.ts";
import type { Canvas } from "../drawing/canvas.ts";
import { placeOf, type Context, type Pass } from "../context.ts";
import type { Laid } from "../drawing/laid.ts";
import { resolveLink } from "./links.ts";
import { replacePageTokens } from "../pages/page-numbers.ts";
import { moveAll } from "../drawing/paints.ts";
import { mapTexts, recolor } from "../prepare/prepare-text.ts";
import type { PreparedText } from "../prepare/prepared.ts";
import { withPolicy } from "./text-cache.ts";
import { countCharacters } from "../../../lib/count-characters.ts";
import { RenderTooLargeError } from "../options.ts";
import type { Scope } from "../fields/scope.ts";
import { formatValue } from "../../values/format-value.ts";

/** Smaller print is hard to read, in points. */
const SMALL_TEXT = 5;
const ROUNDING = 0.01;
/** Of one text, which is laid out without a pause. */
const TEXT_CHARACTERS_MAX = LIMITS.render_text.value;

export function layText(element: PreparedText, context: Context, room: number): Laid {
  const { pass, scope } = context;
  const content = contentOf(element, context);
  checkLength(content.spec, scope, element);
  const laid = fitInto(pass, content, room);
  const place = placeOf(element, scope);
  // The characters of a text that a switch shows or a value colors are its own.
  const textPlace = isTextField(element.field) ? place : { ...place, field: null };
  return {
    width: element.width,
    height: laid.height,
    isGrown: laid.height > element.height,
    paint(canvas, x, y) {
      pass.account.text(textPlace, laid);
      if (laid.isForbidden) {
        pass.account.problems.push({
          code: "TEXT_OVERFLOW",
          field: place.valuePath,
          elementId: element.id,
          message: `The text of ${nameOf(place.valuePath, element.id)} has ${laid.characters} characters, of which ${laid.charactersPrinted} fit. Shorten it, or let it shrink.`,
        });
      }
      for (const item of laid.items) {
        canvas.items.push(moveItem(item, x, y));
      }
      for (const { link, box } of laid.linkAreas) {
        const target = element.runLinks[link];
        if (target !== undefined) {
          const area = { ...box, x: box.x + x, y: box.y + y };
          resolveLink(target, element.id, context, (found) => canvas.link(area, found));
        }
      }
      notePrint(pass, element, laid, canvas, x, y);
    },
  };
}

/** Throws RenderTooLargeError. */
function checkLength({ paragraphs }: TextSpec, scope: Scope, { id, field }: PreparedText): void {
  let units = 0;
  for (const { runs } of paragraphs) {
    for (const { text } of runs) {
      units += text.length;
    }
  }
  if (units <= TEXT_CHARACTERS_MAX) {
    return;
  }
  const texts = paragraphs.flatMap(({ runs }) => runs.map(({ text }) => text));
  const characters = texts.reduce((sum, text) => sum + countCharacters(text), 0);
  if (characters > TEXT_CHARACTERS_MAX) {
    const name = nameOf(field === undefined ? "" : scope.pathOf(field), id);
    throw new RenderTooLargeError(
      `The text of ${name} has ${characters} characters. A text may have ${TEXT_CHARACTERS_MAX}.`,
    );
  }
}

/** The spec to lay out, and whether it is one of the prepared document, which later renders meet again. */
interface Content {
  readonly spec: TextSpec;
  readonly isStatic: boolean;
}

function contentOf(element: PreparedText, { scope, numbers, pass }: Context): Content {
  const { overflowPolicy } = pass.options;
  const { field } = element;
  const value = field === undefined ? undefined : scope.read(field);
  const isText =
    field !== undefined && field.placeholderType !== "boolean" && field.placeholderType !== "color";
  if (field !== undefined && value !== undefined && isText) {
    const text = formatValue(field, value);
    return { spec: mapTexts(element.plain, () => text, overflowPolicy), isStatic: false };
  }
  const color = field?.placeholderType === "color" && typeof value === "string" ? value : null;
  if (color === null && !element.usesPageNumbers) {
    return { spec: element.spec, isStatic: true };
  }
  const colored = color === null ? element.spec : recolor(element.spec, color);
  return {
    spec: element.usesPageNumbers
      ? mapTexts(colored, (text) => replacePageTokens(text, numbers), overflowPolicy)
      : colored,
    isStatic: false,
  };
}

const TEXT_TYPES: ReadonlySet<string> = new Set(["text", "number", "date", "url"]);

function isTextField(field: Placeholder | undefined): field is Placeholder {
  return field !== undefined && TEXT_TYPES.has(field.placeholderType);
}

/** A box that would grow beyond the room is as high as the room instead, and its text overflows as the mode says. */
function fitInto(pass: Pass, { spec, isStatic }: Content, room: number): LaidText {
  const { overflowPolicy } = pass.options;
  const laid = pass.slices.text(() =>
    isStatic
      ? pass.texts.layOutStatic(spec, overflowPolicy)
      : pass.texts.layOut(withPolicy(spec, overflowPolicy)),
  );
  if (spec.fixedHeight || laid.height <= Math.max(room, spec.height) + ROUNDING) {
    return laid;
  }
  const height = Math.max(room, spec.height);
  return pass.slices.text(() =>
    pass.texts.layOut({ ...spec, overflowPolicy, fixedHeight: true, height }),
  );
}

function moveItem(item: DisplayItem, dx: number, dy: number): DisplayItem {
  switch (item.kind) {
    case "glyphs":
      return { ...item, x: item.x + dx, y: item.y + dy };
    case "path":
      return { ...item, ...moveAll(item, dx, dy) };
    default:
      return {
        kind: "group",
        transform: [1, 0, 0, 1, dx, dy],
        opacity: 1,
        clip: null,
        mask: null,
        items: [item],
      };
  }
}

function nameOf(valuePath: string, elementId: string): string {
  return valuePath === "" ? `the element ${elementId}` : `the field ${valuePath}`;
}

function notePrint(
  pass: Pass,
  element: PreparedText,
  laid: LaidText,
  canvas: Canvas,
  x: number,
  y: number,
): void {
  if (laid.charactersPrinted === 0) {
    return;
  }
  if (laid.smallestFontSize * canvas.scale < SMALL_TEXT) {
    pass.account.note("text_small", element.id);
  }
  const height = Math.max(laid.height, laid.contentHeight);
  pass.account.noteOutside(element.id, canvas.corners({ x, y, width: element.width, height }), {
    isPartEnough: true,
  });
}
