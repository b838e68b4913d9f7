/** Theme and style sheet of the host, by the same rules as in the widget (docs/embeds.md#messages). */
import { applyTheme, resolveTheme, type Theme } from "../widget/core/theme.ts";
import { createCssApplier } from "../widget/view/root.ts";
import { CommandRefused } from "../shared/protocol.ts";
import type { Words } from "./words.ts";

/** Tells the host what was left out. */
type Tell = (code: "invalid_theme" | "theme_contrast" | "css_sanitized", message: string) => void;

export interface Look {
  /** Applies a theme to the one before. Throws CommandRefused for a payload that is not an object. */
  setTheme(raw: unknown): void;
  /** Replaces the style sheet. Throws CommandRefused for a text that is too large, or is not one. */
  setCustomCss(raw: unknown): void;
}

/** `root` has the custom properties and `data-theme`; `auto` follows the system while the page is open. */
export function createLook(root: HTMLElement, start: Theme, words: Words, tell: Tell): Look {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const applyCss = createCssApplier(document);
  let theme = start;
  const paint = () => {
    const { mode, scheme, properties, replaced } = resolveTheme(theme, system.matches);
    for (const name of Array.from(root.style)) {
      if (name.startsWith("--svc-") && !Object.hasOwn(properties, name)) {
        root.style.removeProperty(name);
      }
    }
    for (const [name, value] of Object.entries(properties)) {
      root.style.setProperty(name, value);
    }
    root.dataset["theme"] = mode;
    root.style.colorScheme = scheme;
    document.documentElement.style.colorScheme = scheme;
    return replaced;
  };
  paint();
  system.addEventListener("change", paint);
  return {
    setTheme(raw) {
      const applied = applyTheme(theme, raw);
      if (applied === null) {
        throw new CommandRefused("invalid_theme", words("themeNoObject"));
      }
      ({ theme } = applied);
      const replaced = paint();
      if (applied.wrong.length > 0) {
        tell("invalid_theme", words("themeInvalid", { names: applied.wrong.join(", ") }));
      }
      if (replaced.length > 0) {
        tell("theme_contrast", words("themeContrast", { names: replaced.join(", ") }));
      }
    },
    setCustomCss(raw) {
      const css = typeof raw === "object" && raw !== null && "css" in raw ? raw.css : undefined;
      const isWhole = typeof css === "string" ? applyCss(css) : null;
      if (isWhole === null) {
        throw new CommandRefused("invalid_message", words("cssTooLarge"));
      }
      if (!isWhole) {
        tell("css_sanitized", words("cssSanitized"));
      }
    },
  };
}
