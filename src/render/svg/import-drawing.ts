import type {
  ImportedSvg,
  ImportSvgRequest,
  RefusedSvg,
  SvgNote,
  SvgProblem,
} from "../../contracts/templates/renderer.ts";
import { cleanSvgText } from "../../formats/svg/clean-svg.ts";
import { SvgMalformedError } from "../../formats/svg/svg-malformed-error.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { ArtworkError } from "../pdf/artwork/artwork-error.ts";
import { type DrawingBox, drawingBox } from "../pdf/artwork/read-artwork.ts";
import { SvgPainter } from "../pdf/artwork/svg-painter.ts";
import type { SvgNode } from "../pdf/artwork/svg-node.ts";
import { readSvgTree, type SvgTree } from "../pdf/artwork/svg-tree.ts";
import { length } from "../pdf/artwork/svg-values.ts";
import { buildChildren } from "./editable/build-group.ts";
import { nameOf } from "./element-name.ts";
import { elementPath } from "./element-path.ts";
import { findRefused } from "./find-refused.ts";

const BYTES_MAX = LIMITS.svg_import.value;
const POINTS_PER_PX = 0.75;
const NOTES_MAX = LIMITS.document_problems.value;
const OBJECTS_MAX = {
  editable: LIMITS.svg_editable_objects.value,
  preserved: LIMITS.svg_preserved_objects.value,
} as const;

export type DrawingImport = Omit<ImportSvgRequest, "v" | "workspace_id">;

/** A group with the drawing's hierarchy, whose parts are elements. */
function editable(request: DrawingImport, read: ReadDrawing): ImportedSvg | RefusedSvg {
  const { tree, painter, box } = read;
  const size = sizeOf(request, read);
  const notes = new Map<string, SvgNote>();
  const errors = new Map<string, SvgProblem>();
  const { children, objects } = buildChildren(tree, painter, box, size, {
    note(node, message) {
      const field = elementPath(node);
      notes.set(`${field} ${message}`, { field, message });
    },
    refuse(node, message) {
      const field = elementPath(node);
      errors.set(field, { field, code: "svg_import_unsupported", message });
    },
  });
  const problems = [...errors.values()];
  if (objects > OBJECTS_MAX.editable) {
    problems.push(tooMany(objects, OBJECTS_MAX.editable));
  }
  if (problems.length > 0) {
    return refused(findRefused(request.svg, problems));
  }
  const element = {
    $type: "group",
    name: request.name ?? nameOf(tree.root) ?? "",
    left: request.left,
    top: request.top,
    ...size,
    children,
  };
  return {
    ok: true,
    element: JSON.stringify(element),
    objects,
    notes: [...notes.values(), ...linkNotes(tree.root)].slice(0, NOTES_MAX),
  };
}

interface ReadDrawing {
  readonly ok: true;
  readonly problems: readonly SvgProblem[];
  readonly clean: string;
  readonly tree: SvgTree;
  readonly box: DrawingBox;
  readonly painter: SvgPainter;
}

/**
 * Converts a drawing to an element of a design document, without ids (docs/contract/templates.md#svg-import), or names all
 * that is refused of it.
 */
export function importDrawing(request: DrawingImport): ImportedSvg | RefusedSvg {
  const { svg, mode } = request;
  if (Buffer.byteLength(svg) > BYTES_MAX) {
    return refused([problem("svg_import_too_large", `It has more than ${BYTES_MAX} bytes.`)]);
  }
  const read = readDrawing(svg, mode);
  const errors = findRefused(svg, read.problems);
  if (!read.ok || errors.length > 0) {
    const reason = read.ok ? "" : read.reason;
    return refused(errors.length > 0 ? errors : [problem("svg_import_invalid", reason)]);
  }
  if (mode === "editable") {
    return editable(request, read);
  }
  const element = {
    $type: "svg_artwork",
    name: request.name ?? nameOf(read.tree.root) ?? "",
    left: request.left,
    top: request.top,
    ...sizeOf(request, read),
    svg: withAspect(read.clean, read.tree.root),
  };
  return {
    ok: true,
    element: JSON.stringify(element),
    objects: read.painter.objects,
    notes: linkNotes(read.tree.root),
  };
}

/** A drawing that cannot be read as a whole. */
interface UnreadDrawing {
  readonly ok: false;
  readonly problems: readonly SvgProblem[];
  readonly reason: string;
}

/** Parts that `findRefused` reports. */
const REFUSED_PARTS: ReadonlySet<string> = new Set([
  "image",
  "foreignObject",
  "video",
  "audio",
  "textPath",
]);

function readDrawing(svg: string, mode: DrawingImport["mode"]): ReadDrawing | UnreadDrawing {
  const objectsMax = OBJECTS_MAX[mode];
  const problems: SvgProblem[] = [];
  try {
    const clean = cleanSvgText(svg);
    const tree = readSvgTree(clean);
    const box = drawingBox(tree);
    if (box === undefined) {
      return { ok: false, problems, reason: "Its width or height is 0." };
    }
    const painter = new SvgPainter(tree, {
      isForElements: mode === "editable",
      onProblem: (error, part) => {
        if (!REFUSED_PARTS.has(part)) {
          problems.push(problemOf(error, part));
        }
      },
    });
    painter.paint(box);
    if (painter.objects > objectsMax) {
      problems.push(tooMany(painter.objects, objectsMax));
    }
    return { ok: true, problems, clean, tree, box, painter };
  } catch (error) {
    if (error instanceof ArtworkError) {
      problems.push(problemOf(error, ""));
    } else if (!(error instanceof SvgMalformedError)) {
      throw error;
    }
    return { ok: false, problems, reason: error.message };
  }
}

function problemOf({ node, reason, message }: ArtworkError, part: string): SvgProblem {
  const codes = {
    too_large: "svg_import_too_many_objects",
    unreadable: "svg_import_invalid",
    unsupported: part === "filter" ? "svg_import_filter" : "svg_import_unsupported",
  } as const;
  return { field: node === undefined ? "svg" : elementPath(node), code: codes[reason], message };
}

function problem(code: SvgProblem["code"], message: string): SvgProblem {
  return { field: "svg", code, message };
}

function refused(errors: readonly SvgProblem[]): RefusedSvg {
  return { ok: false, errors };
}

function tooMany(objects: number, objectsMax: number): SvgProblem {
  return problem(
    "svg_import_too_many_objects",
    `It draws ${objects} objects, and the mode allows ${objectsMax}. Merge or remove some.`,
  );
}

/** The size in points: the one that was asked for, in proportion to it, or the drawing's own. */
function sizeOf(
  { width, height }: Pick<DrawingImport, "width" | "height">,
  { tree, box }: Pick<ReadDrawing, "tree" | "box">,
): { readonly width: number; readonly height: number } {
  const { attributes } = tree.root;
  const given = (name: string): number | undefined => {
    const text = attributes.get(name);
    const value = text?.trim().endsWith("%") === true ? undefined : length(text, 0);
    return value !== undefined && value > 0 ? value : undefined;
  };
  const [ownWidth, ownHeight] = [given("width"), given("height")];
  const px = {
    width: ownWidth ?? (ownHeight === undefined ? box.width : (ownHeight * box.width) / box.height),
    height:
      ownHeight ?? (ownWidth === undefined ? box.height : (ownWidth * box.height) / box.width),
  };
  return {
    width: width ?? (height === null ? px.width * POINTS_PER_PX : (height * px.width) / px.height),
    height: height ?? (width === null ? px.height * POINTS_PER_PX : (width * px.height) / px.width),
  };
}

/** SVG fits a drawing without the attribute in the middle; an `svg_artwork` stretches it. */
function withAspect(clean: string, { attributes }: SvgNode): string {
  return attributes.has("preserveAspectRatio")
    ? clean
    : clean.replace("<svg ", '<svg preserveAspectRatio="xMidYMid meet" ');
}

function linkNotes(root: SvgNode): SvgNote[] {
  const links: SvgNode[] = [];
  const visit = (node: SvgNode): void => {
    if (node.name === "a") {
      links.push(node);
    }
    node.children.forEach(visit);
  };
  visit(root);
  const message = "The link was left out. What it shows was imported.";
  return links.map((node) => ({ field: elementPath(node), message }));
}
