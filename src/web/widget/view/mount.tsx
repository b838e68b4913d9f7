/** Puts the widget into a document, and keeps it there: theme, language, size, and the system's color scheme. */
import { render } from "preact";
import type { Widget } from "../core/widget.ts";
import { App } from "./app.tsx";
import { paintLanguage, paintTheme, rootAttributes } from "./root.ts";

export interface Mounted {
  /** Begins to tell the size, after `svc:ready`. */
  readonly tellSize: () => void;
}

export interface MountOptions {
  readonly widget: Widget;
  readonly container: HTMLElement;
  readonly emit: (type: string, payload: unknown) => void;
  /** The system's dark scheme, which can change at any time. */
  readonly dark: MediaQueryList;
}

/** Renders the widget. Call `tellSize` when the host may be told. */
export function mountWidget({ widget, container, emit, dark }: MountOptions): Mounted {
  let root: HTMLElement | null = null;
  const attributes = () => rootAttributes(widget.store.state.settings, dark.matches);
  const paint = (): void => {
    if (root !== null) {
      paintTheme(root, widget.store.state.settings, dark.matches);
      paintLanguage(document, attributes());
    }
  };
  const sizes = new SizeTeller(emit);
  render(
    <App
      widget={widget}
      attributes={attributes}
      onRendered={paint}
      onRoot={(found) => {
        root = found;
        paint();
        sizes.watch(found);
      }}
    />,
    container,
  );
  dark.addEventListener("change", () => {
    // A new object renders the attributes again.
    widget.store.set({ settings: { ...widget.store.state.settings } });
  });
  return {
    tellSize: () => {
      sizes.start();
    },
  };
}

/** Tells the size of the root at most once a frame, and only where it changed. */
class SizeTeller {
  readonly #emit: MountOptions["emit"];
  #root: HTMLElement | null = null;
  #isStarted = false;
  #isAsked = false;
  #last = "";

  constructor(emit: MountOptions["emit"]) {
    this.#emit = emit;
  }

  watch(root: HTMLElement): void {
    this.#root = root;
    new ResizeObserver(() => {
      this.#ask();
    }).observe(root, { box: "border-box" });
  }

  start(): void {
    this.#isStarted = true;
    this.#ask();
  }

  #ask(): void {
    if (this.#isStarted && !this.#isAsked) {
      this.#isAsked = true;
      requestAnimationFrame(() => {
        this.#isAsked = false;
        this.#tell();
      });
    }
  }

  #tell(): void {
    const box = this.#root?.getBoundingClientRect();
    if (box !== undefined) {
      // A fraction of a pixel less would scroll.
      const size = { width: Math.ceil(box.width), height: Math.ceil(box.height) };
      const text = JSON.stringify(size);
      if (text !== this.#last) {
        this.#last = text;
        this.#emit("svc:resize", size);
      }
    }
  }
}
