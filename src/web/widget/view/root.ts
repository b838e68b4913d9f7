/** What theme and language set on the document: attributes, custom properties, and the style sheet of the host. */
import { directionOf, matchLocale } from "../../../contracts/embeds/page-query.ts";
import { cleanCss } from "../core/custom-css.ts";
import { resolveTheme, type ResolvedTheme } from "../core/theme.ts";
import type { Settings } from "../core/settings.ts";

export interface RootAttributes {
  readonly theme: "light" | "dark";
  readonly dir: "ltr" | "rtl";
  readonly lang: string;
}

/** Returns the attributes of the root. */
export function rootAttributes(settings: Settings, prefersDark: boolean): RootAttributes {
  const { mode } = resolveTheme(settings.theme, prefersDark);
  const lang = settings.locale;
  return { theme: mode, lang, dir: directionOf(matchLocale(lang) ?? "en") };
}

/** Sets the custom properties of the theme on the root, and removes those of the theme before. */
export function paintTheme(root: HTMLElement, settings: Settings, prefersDark: boolean): void {
  const { properties, scheme }: ResolvedTheme = resolveTheme(settings.theme, prefersDark);
  for (const name of Array.from(root.style)) {
    if (name.startsWith("--svc-") && !Object.hasOwn(properties, name)) {
      root.style.removeProperty(name);
    }
  }
  for (const [name, value] of Object.entries(properties)) {
    root.style.setProperty(name, value);
  }
  root.style.colorScheme = scheme;
  // The page's own scheme decides whether the frame is transparent on the host's page.
  const { documentElement, body } = root.ownerDocument;
  documentElement.style.colorScheme = scheme;
  body.style.background = properties["--svc-background"] ?? "";
}

/** Sets language and direction of the page. */
export function paintLanguage(document: Document, { lang, dir }: RootAttributes): void {
  document.documentElement.lang = lang;
  document.documentElement.dir = dir;
}

/** Returns a function that replaces the host's style sheet: true if all of it applies, null if it is too large. */
export function createCssApplier(document: Document): (css: string) => boolean | null {
  const sheet = new CSSStyleSheet();
  return (css) => {
    const clean = cleanCss(css, {
      parse: (text) => {
        const parsed = new CSSStyleSheet();
        parsed.replaceSync(text);
        return parsed.cssRules;
      },
      escapeName: (name) => CSS.escape(name),
    });
    if (clean === null) {
      return null;
    }
    sheet.replaceSync(clean.css);
    if (!document.adoptedStyleSheets.includes(sheet)) {
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    }
    return !clean.isChanged;
  };
}
