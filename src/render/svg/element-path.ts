import type { SvgNode } from "../pdf/artwork/svg-node.ts";

/** The way to an element of a drawing, such as `svg/g[2]/image[1]`: numbers count siblings of one name, from 1. */
export function elementPath(node: SvgNode): string {
  const { parent, name } = node;
  if (parent === undefined) {
    return name;
  }
  const same = parent.children.filter((child) => child.name === name);
  return `${elementPath(parent)}/${name}[${same.indexOf(node) + 1}]`;
}
