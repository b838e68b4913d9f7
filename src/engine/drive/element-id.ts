import type { ElementPlace } from "../step/cells.ts";

const ELEMENTS_MAX = 2 ** 32;

/** One number for an element, because a run may have hundreds of thousands of them. */
export function elementId(node: number, element: number): number {
  return node * ELEMENTS_MAX + element;
}

export function placeOf(id: number): ElementPlace {
  return { node: Math.floor(id / ELEMENTS_MAX), element: id % ELEMENTS_MAX };
}
