/** Settings of the page: from its address, then from messages, which win. */
import type { Theme } from "./theme.ts";

export const LAYOUTS = ["default", "compact", "inline", "headless"] as const;
export type Layout = (typeof LAYOUTS)[number];

/** Parts that a host can hide. */
export interface Hidden {
  readonly header: boolean;
  readonly execute: boolean;
  readonly poweredBy: boolean;
  readonly progress: boolean;
  readonly output: boolean;
}

export interface Settings {
  readonly theme: Theme;
  readonly locale: string;
  readonly layout: Layout;
  readonly hidden: Hidden;
  readonly showName: boolean;
  readonly showBranding: boolean;
  readonly lockedFields: ReadonlySet<string>;
  readonly hiddenFields: ReadonlySet<string>;
  /** Interface of the address or of its query; null for the token's own. */
  readonly interfaceId: string | null;
}

const HIDES = {
  hideHeader: "header",
  hideExecuteButton: "execute",
  hidePoweredBy: "poweredBy",
  hideProgress: "progress",
  hideOutput: "output",
} as const;

const TRUTH: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false };

/** Returns the settings of the page's address. A bad value counts as absent, an unknown name is ignored. */
export function settingsOf(address: URL, locale: string): Settings {
  const query = address.searchParams;
  const flag = (name: string): boolean | undefined => {
    const text = query.get(name);
    return text !== null && Object.hasOwn(TRUTH, text) ? TRUTH[text] : undefined;
  };
  const mode = query.get("theme");
  const primary = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(query.get("primaryColor") ?? "")?.[1];
  const layout = LAYOUTS.find((name) => name === query.get("layout"));
  return {
    theme: {
      mode: mode === "light" || mode === "dark" ? mode : "auto",
      values: primary === undefined ? {} : { primaryColor: `#${primary}` },
    },
    locale,
    layout: flag("compact") === true ? "compact" : (layout ?? "default"),
    hidden: {
      header: flag("hideHeader") ?? false,
      execute: flag("hideExecuteButton") ?? false,
      poweredBy: flag("hidePoweredBy") ?? false,
      progress: flag("hideProgress") ?? false,
      output: flag("hideOutput") ?? false,
    },
    showName: flag("showName") ?? true,
    showBranding: flag("showBranding") ?? true,
    lockedFields: new Set(),
    hiddenFields: new Set(),
    interfaceId: query.get("interface") ?? interfaceOfPath(address.pathname),
  };
}

/** `/embed/{workflow}/{interface}` */
function interfaceOfPath(path: string): string | null {
  return /^\/embed\/[^/]+\/([^/]+)\/?$/.exec(path)?.[1] ?? null;
}

/**
 * Applies the simple members of `svc:init` (`theme`, `locale`, `values` and `css` are the controller's). Returns the new
 * settings and the names of members of the wrong type, which are left out.
 */
export function applyInit(
  settings: Settings,
  payload: Readonly<Record<string, unknown>>,
): { readonly settings: Settings; readonly wrong: readonly string[] } {
  const wrong: string[] = [];
  const flag = (name: string): boolean | undefined => {
    const value = payload[name];
    if (value === undefined || value === null || typeof value === "boolean") {
      return value ?? undefined;
    }
    wrong.push(name);
    return undefined;
  };
  const keys = (name: string): ReadonlySet<string> | undefined => {
    const value = payload[name];
    if (value === undefined || value === null) {
      return undefined;
    }
    if (Array.isArray(value) && value.every((key) => typeof key === "string")) {
      return new Set(value);
    }
    wrong.push(name);
    return undefined;
  };
  const hidden: Record<keyof Hidden, boolean> = { ...settings.hidden };
  for (const [name, part] of Object.entries(HIDES)) {
    hidden[part] = flag(name) ?? hidden[part];
  }
  const layout = LAYOUTS.find((name) => name === payload["layout"]);
  if (layout === undefined && payload["layout"] !== undefined && payload["layout"] !== null) {
    wrong.push("layout");
  }
  const compact = flag("compact");
  return {
    settings: {
      ...settings,
      hidden,
      layout:
        compact === true
          ? "compact"
          : (layout ?? (compact === false && settings.layout === "compact" ? "default" : settings.layout)),
      showName: flag("showName") ?? settings.showName,
      showBranding: flag("showBranding") ?? settings.showBranding,
      lockedFields: keys("lockedFields") ?? settings.lockedFields,
      hiddenFields: keys("hiddenFields") ?? settings.hiddenFields,
    },
    wrong,
  };
}

