import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Language } from "../core/locale.ts";
import type { Widget } from "../core/widget.ts";

/** The widget and its language, for all parts of the view. */
export interface ViewContext {
  readonly widget: Widget;
  readonly language: Language;
}

export const Context = createContext<ViewContext | null>(null);

export function useView(): ViewContext {
  const view = useContext(Context);
  if (view === null) {
    throw new Error("A part of the widget was rendered outside of it.");
  }
  return view;
}

/** Classes of a hook: the attribute `data-svc` and the class of the same name are the public contract (docs/embeds.md). */
export function hook(name: string, classes = ""): { "data-svc": string; class: string } {
  return { "data-svc": name, class: `svc-${name} ${classes}`.trim() };
}

/** The same for the parts whose attribute has a value of its own. */
export function hookOf(
  attribute: "field" | "output" | "action" | "item",
  value: string,
  classes = "",
): Readonly<Record<string, string>> {
  return { [`data-svc-${attribute}`]: value, class: `svc-${attribute} ${classes}`.trim() };
}
