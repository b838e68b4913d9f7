import type { SaxesTagNS } from "saxes";
import { cleanDeclarations, isSafeValue } from "./clean-css.ts";
import { isEmbeddedPicture } from "./embedded-picture.ts";
import { ATTRIBUTES, PRESENTATION } from "./svg-allow-list.ts";

export const XLINK_NS = "http://www.w3.org/1999/xlink";
const XML_NS = "http://www.w3.org/XML/1998/namespace";

/** Elements that show the target of their `href`, and nothing without one. */
const PICTURES: ReadonlySet<string> = new Set(["image", "feImage"]);
const PAINTS: ReadonlySet<string> = new Set(["fill", "stroke"]);
/** A paint server and the fallback color. */
const PAINT_WITH_FALLBACK = /^\s*url\([^()]*\)\s+([^()\\]+|[a-z]+\([^()\\]*\))\s*$/i;
const CSS_TYPE = /^(?:text\/css)?$/i;

export interface CleanAttribute {
  readonly name: string;
  readonly value: string;
}

/**
 * The allowed attributes of a kept element, in order; undefined if the element must be removed as
 * well.
 */
export function cleanSvgAttributes(tag: SaxesTagNS): readonly CleanAttribute[] | undefined {
  const kept: CleanAttribute[] = [];
  for (const { name, local, uri, value } of Object.values(tag.attributes)) {
    if (uri === XML_NS) {
      if (local === "space" || local === "lang") {
        kept.push({ name: `xml:${local}`, value });
      }
    } else if (local === "href" && (uri === XLINK_NS || uri === "")) {
      const target = cleanHref(tag.local, value);
      if (target !== undefined) {
        kept.push({ name: uri === "" ? "href" : "xlink:href", value: target });
      }
    } else if (uri === "" && name === local) {
      const clean = cleanValue(local, value);
      if (clean !== undefined) {
        kept.push({ name: local, value: clean });
      }
    }
  }
  const hasHref = kept.some(({ name }) => name === "href" || name === "xlink:href");
  const isUseless =
    (PICTURES.has(tag.local) && !hasHref) ||
    (tag.local === "style" &&
      kept.some(({ name, value }) => name === "type" && !CSS_TYPE.test(value.trim())));
  return isUseless ? undefined : kept;
}

/**
 * A reference inside this document or, for a picture, an embedded picture; undefined for everything
 * else.
 */
function cleanHref(element: string, value: string): string | undefined {
  const target = value.trim();
  if (/^#[^\s"'<>\\]+$/.test(target)) {
    return target;
  }
  return PICTURES.has(element) && isEmbeddedPicture(target)
    ? target.replaceAll(/\s+/g, "")
    : undefined;
}

function cleanValue(name: string, value: string): string | undefined {
  if (name === "style") {
    const css = cleanDeclarations(value);
    return css === "" ? undefined : css;
  }
  if (PRESENTATION.has(name)) {
    return isSafeValue(value) ? value : withoutUrl(name, value);
  }
  if (ATTRIBUTES.has(name) || /^aria-[a-z]+$/.test(name)) {
    return value;
  }
  return undefined;
}

/** A removed reference becomes a reference to nothing: the fallback color or no paint is shown. */
function withoutUrl(name: string, value: string): string | undefined {
  if (!/url\s*\(/i.test(value)) {
    return undefined;
  }
  const fallback = PAINTS.has(name) ? PAINT_WITH_FALLBACK.exec(value)?.[1]?.trim() : undefined;
  return fallback !== undefined && isSafeValue(fallback) ? fallback : "none";
}
