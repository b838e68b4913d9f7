import type { PreparedElement } from "../prepare/prepared.ts";

interface Resized {
  readonly width: number;
  readonly height: number;
  readonly element: PreparedElement;
}

/** The last size of each element: most are stretched to the same size in every render. */
const LAST = new WeakMap<PreparedElement, Resized>();

/** The element in another size; shapes with a size of their own and plain groups keep theirs. */
export function resizeElement(
  element: PreparedElement,
  width: number,
  height: number,
): PreparedElement {
  if (element.width === width && element.height === height) {
    return element;
  }
  const last = LAST.get(element);
  if (last?.width === width && last.height === height) {
    return last.element;
  }
  const resized = make(element, width, height);
  LAST.set(element, { width, height, element: resized });
  return resized;
}

function make(element: PreparedElement, width: number, height: number): PreparedElement {
  switch (element.kind) {
    case "text": {
      const spec = { ...element.spec, width, height };
      const plain = { ...element.plain, width, height };
      return { ...element, width, height, spec, plain };
    }
    case "shape":
      return element.resize?.(width, height) ?? element;
    case "group":
      return element.inner === null ? element : { ...element, width, height };
    case "image":
    case "artwork":
    case "layout":
    case "repeat":
      return { ...element, width, height };
  }
}
