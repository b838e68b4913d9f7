import { SaxesParser, type SaxesTagNS } from "saxes";
import { LIMITS } from "../../../lib/limits/limits-table.ts";
import { ArtworkError } from "./artwork-error.ts";
import type { SvgNode } from "./svg-node.ts";

const BYTES_MAX = 10 * 1024 * 1024;
const ELEMENTS_MAX = LIMITS.svg_import_elements.value;
const DEPTH_MAX = LIMITS.svg_import_depth.value;
/** Elements whose characters are read. */
const TEXTS = new Set(["title", "text", "tspan", "a"]);
const SVG_NS = "http://www.w3.org/2000/svg";
const XLINK_NS = "http://www.w3.org/1999/xlink";
const XML_NS = "http://www.w3.org/XML/1998/namespace";

export interface SvgTree {
  readonly root: SvgNode;
  readonly ids: ReadonlyMap<string, SvgNode>;
  /** The texts of all `style` elements. */
  readonly css: string;
}

/** Reads SVG as XML, without entities of its own. Throws ArtworkError. */
export function readSvgTree(svg: string): SvgTree {
  if (svg.length > BYTES_MAX) {
    throw new ArtworkError("too_large", `The drawing is longer than ${BYTES_MAX} characters.`);
  }
  const ids = new Map<string, SvgNode>();
  let root: SvgNode | undefined;
  let current: SvgNode | undefined;
  let elements = 0;
  let depth = 0;
  /** Depth within an element of another namespace, which draws nothing. */
  let foreign = 0;
  let css = "";
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => {
    throw new ArtworkError("unreadable", `The drawing is not well-formed XML: ${error.message}`);
  });
  parser.on("doctype", (doctype) => {
    if (doctype.includes("[")) {
      throw new ArtworkError("unreadable", "The drawing declares entities.");
    }
  });
  parser.on("opentag", (tag: SaxesTagNS) => {
    if (++elements > ELEMENTS_MAX || ++depth > DEPTH_MAX) {
      throw new ArtworkError(
        "too_large",
        "The drawing has too many elements, or nests them too deeply.",
      );
    }
    if (foreign > 0 || tag.uri !== SVG_NS) {
      foreign++;
      return;
    }
    const node = nodeOf(tag, current);
    const id = node.attributes.get("id");
    if (id !== undefined && !ids.has(id)) {
      ids.set(id, node);
    }
    current?.children.push(node);
    if (current !== undefined && TEXTS.has(current.name)) {
      current.content.push(node);
    }
    root ??= node;
    current = node;
  });
  const addText = (text: string): void => {
    if (foreign > 0 || current === undefined) {
      return;
    }
    if (current.name === "style") {
      css += text;
    } else if (TEXTS.has(current.name)) {
      current.content.push(text);
    }
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    depth--;
    if (foreign > 0) {
      foreign--;
    } else {
      current = current?.parent;
    }
  });
  parser.write(svg).close();
  if (root?.name !== "svg") {
    throw new ArtworkError("unreadable", "The drawing is not an SVG.");
  }
  return { root, ids, css };
}

function nodeOf(tag: SaxesTagNS, parent: SvgNode | undefined): SvgNode {
  const attributes = new Map<string, string>();
  for (const { uri, local, value } of Object.values(tag.attributes)) {
    if (uri === "" || (uri === XLINK_NS && local === "href" && !attributes.has("href"))) {
      attributes.set(local, value);
    } else if (uri === XML_NS && local === "space") {
      attributes.set("xml:space", value);
    }
  }
  return { name: tag.local, attributes, children: [], parent, content: [] };
}
