import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from "saxes";
import type { SvgProblem } from "../../contracts/templates/renderer.ts";
import type { SvgImportCode } from "../../lib/errors/svg-import-codes.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { addressProblem, cssProblems, type FoundProblem, urlProblems } from "./css-problems.ts";

const PROBLEMS_MAX = LIMITS.document_problems.value;
const ELEMENTS_MAX = LIMITS.svg_import_elements.value;
const DEPTH_MAX = LIMITS.svg_import_depth.value;
const SVG_NS = "http://www.w3.org/2000/svg";
const XLINK_NS = "http://www.w3.org/1999/xlink";
const XHTML_NS = "http://www.w3.org/1999/xhtml";

/** Elements that are refused for what they are, by their names in lower case. */
const REFUSED: Readonly<Record<string, readonly [SvgImportCode, string]>> = {
  script: ["svg_import_script", "Scripts are not imported. Remove it."],
  handler: ["svg_import_script", "Scripts are not imported. Remove it."],
  listener: ["svg_import_script", "Scripts are not imported. Remove it."],
  foreignobject: ["svg_import_foreign_object", "Only SVG is imported. Redraw it, or remove it."],
  iframe: ["svg_import_foreign_object", "Only SVG is imported. Remove it."],
  video: ["svg_import_foreign_object", "Only SVG is imported. Remove it."],
  audio: ["svg_import_foreign_object", "Only SVG is imported. Remove it."],
  canvas: ["svg_import_foreign_object", "Only SVG is imported. Remove it."],
  embed: ["svg_import_foreign_object", "Only SVG is imported. Remove it."],
  object: ["svg_import_foreign_object", "Only SVG is imported. Remove it."],
  filter: ["svg_import_filter", "Filters have no vectors. Remove it."],
  textpath: ["svg_import_text_path", "Text on a path is not imported. Convert it to outlines."],
};
const ANIMATIONS: ReadonlySet<string> = new Set([
  "animate",
  "animatecolor",
  "animatemotion",
  "animatetransform",
  "set",
  "discard",
]);
const PICTURES: ReadonlySet<string> = new Set(["image", "feimage"]);

interface Open {
  readonly path: string;
  readonly tag: SaxesTagNS;
  /** Children so far, by name. */
  readonly counts: Map<string, number>;
  readonly isStyle: boolean;
  readonly isInForeign: boolean;
  css: string;
}

class InvalidError extends Error {}

/**
 * What of a drawing is refused in both modes (docs/contract/templates.md#svg-import), in its order. `more` are problems
 * that were found otherwise, by element; they are put in their places.
 */
export function findRefused(svg: string, more: readonly SvgProblem[] = []): SvgProblem[] {
  const finder = new RefusedFinder(more);
  try {
    finder.read(svg);
  } catch (error) {
    if (!(error instanceof InvalidError)) {
      throw error;
    }
    finder.add(finder.place, { code: "svg_import_invalid", message: error.message });
  }
  return finder.problems();
}

class RefusedFinder {
  readonly #found: SvgProblem[] = [];
  readonly #keys = new Set<string>();
  readonly #more = new Map<string, SvgProblem[]>();
  readonly #open: Open[] = [];
  #namespace = SVG_NS;
  #elements = 0;

  constructor(more: readonly SvgProblem[]) {
    for (const problem of more) {
      this.#more.set(problem.field, [...(this.#more.get(problem.field) ?? []), problem]);
    }
  }

  /** Where the reader stands. */
  get place(): string {
    return this.#open.at(-1)?.path ?? "svg";
  }

  problems(): SvgProblem[] {
    return [...this.#found, ...[...this.#more.values()].flat()].slice(0, PROBLEMS_MAX);
  }

  add(field: string, { code, message }: FoundProblem): void {
    const key = `${code} ${field}`;
    if (this.#found.length < PROBLEMS_MAX && !this.#keys.has(key)) {
      this.#keys.add(key);
      this.#found.push({ field, code, message });
    }
  }

  read(svg: string): void {
    if (!svg.isWellFormed()) {
      throw new InvalidError("It has half of a surrogate pair, which is not a character.");
    }
    const parser = new SaxesParser({ xmlns: true, position: false });
    parser.on("error", (error) => {
      throw new InvalidError(
        `It is not well-formed XML: ${error.message.replace(/^[^a-z]*/i, "").slice(0, 200)}`,
      );
    });
    parser.on("doctype", (text) => {
      if (text.includes("[")) {
        throw new InvalidError("Its DOCTYPE declares entities. Save it without them.");
      }
    });
    parser.on("processinginstruction", ({ target }) => {
      if (target.toLowerCase() === "xml-stylesheet") {
        this.add("svg", {
          code: "svg_import_external_reference",
          message: "It loads a style sheet. Copy the rules into a style element.",
        });
      }
    });
    parser.on("opentag", (tag) => {
      this.#openTag(tag);
    });
    parser.on("closetag", () => {
      this.#closeTag();
    });
    const onText = (text: string): void => {
      const at = this.#open.at(-1);
      if (at?.isStyle === true) {
        at.css += text;
      }
    };
    parser.on("text", onText);
    parser.on("cdata", onText);
    parser.write(svg).close();
    if (this.#elements === 0) {
      throw new InvalidError("It has no element. Send a complete SVG document.");
    }
  }

  #openTag(tag: SaxesTagNS): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      if (tag.local !== "svg" || (tag.uri !== SVG_NS && tag.uri !== "")) {
        throw new InvalidError(
          `Its root is <${tag.name.slice(0, 40)}> and must be <svg xmlns="${SVG_NS}">.`,
        );
      }
      this.#namespace = tag.uri;
    }
    if (++this.#elements > ELEMENTS_MAX) {
      throw new InvalidError(`It has more than ${ELEMENTS_MAX} elements. Simplify it.`);
    }
    if (this.#open.length >= DEPTH_MAX) {
      throw new InvalidError(`It nests elements deeper than ${DEPTH_MAX}. Flatten its groups.`);
    }
    const isSvg = tag.uri === this.#namespace;
    const name = (isSvg ? tag.local : tag.name).slice(0, 40);
    const number = (parent?.counts.get(name) ?? 0) + 1;
    parent?.counts.set(name, number);
    const path = parent === undefined ? name : `${parent.path}/${name}[${number}]`;
    const lower = tag.local.toLowerCase();
    const open: Open = {
      path,
      tag,
      counts: new Map(),
      isStyle: lower === "style" && (isSvg || tag.uri === XHTML_NS),
      isInForeign: parent?.isInForeign === true || lower === "foreignobject",
      css: "",
    };
    this.#open.push(open);
    this.#element(open, isSvg, lower);
    const more = this.#more.size === 0 ? undefined : this.#more.get(path);
    if (more !== undefined) {
      this.#more.delete(path);
      for (const problem of more) {
        this.add(path, problem);
      }
    }
  }

  #element({ path, tag, isInForeign }: Open, isSvg: boolean, lower: string): void {
    const refused = REFUSED[lower];
    if (refused !== undefined && (isSvg || refused[0] === "svg_import_script")) {
      this.add(path, { code: refused[0], message: refused[1] });
    } else if (isSvg && ANIMATIONS.has(lower)) {
      this.add(path, {
        code: "svg_import_animation",
        message: "Animation is not imported. Keep one state of the drawing.",
      });
    } else if (tag.uri === XHTML_NS && !isInForeign) {
      this.add(path, {
        code: "svg_import_foreign_object",
        message: "Only SVG is imported. Redraw it, or remove it.",
      });
    }
    const isRead = isSvg || tag.uri === XHTML_NS;
    for (const { name, local, uri, value } of Object.values(tag.attributes)) {
      if (/^on[a-z]/i.test(local) && (uri === "" || isRead)) {
        this.add(path, {
          code: "svg_import_script",
          message: `The attribute ${name.slice(0, 40)} is a script. Remove it.`,
        });
      } else if (isRead) {
        this.#attribute(path, lower, { name, local, uri, value });
      }
    }
  }

  #attribute(
    path: string,
    element: string,
    { name, local, uri, value }: Pick<SaxesAttributeNS, "name" | "local" | "uri" | "value">,
  ): void {
    if ((local === "href" && (uri === XLINK_NS || uri === "")) || name === "src") {
      const problem = hrefProblem(element, value);
      if (problem !== undefined) {
        this.add(path, problem);
      }
      return;
    }
    if (name === "xml:base" && value.trim() !== "") {
      this.add(path, {
        code: "svg_import_external_reference",
        message: "The attribute xml:base makes references point to another file. Remove it.",
      });
    } else if (name === "filter" && !/^\s*(?:none|inherit|initial|unset)?\s*$/i.test(value)) {
      this.add(path, {
        code: "svg_import_filter",
        message: "It has a filter, which has no vectors. Remove the filter.",
      });
    }
    const problems = name === "style" ? cssProblems(value) : uri === "" ? urlProblems(value) : [];
    for (const problem of problems) {
      this.add(path, problem);
    }
  }

  #closeTag(): void {
    const closed = this.#open.pop();
    if (closed?.isStyle === true) {
      for (const problem of cssProblems(closed.css)) {
        this.add(closed.path, problem);
      }
    }
  }
}

/** A link may lead anywhere; a picture is refused wherever it is. */
function hrefProblem(element: string, value: string): FoundProblem | undefined {
  const problem = addressProblem(value);
  if (problem?.code === "svg_import_script") {
    return problem;
  }
  if (PICTURES.has(element) && problem?.code !== "svg_import_external_reference") {
    return {
      code: "svg_import_embedded_image",
      message: "Pictures are not imported. Trace it to paths, or place it as an image element.",
    };
  }
  return element === "a" ? undefined : problem;
}
