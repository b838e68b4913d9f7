/** Settings of the page: from its address, then from messages, which win. */
import {
  EMBED_LAYOUTS,
  type EmbedLayout,
  type EmbedPageQuery,
} from "../../../contracts/embeds/page-query.ts";
import type { Theme } from "./theme.ts";

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
  readonly layout: EmbedLayout;
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

/** Returns the settings of the page's address. */
export function settingsOf(
  query: EmbedPageQuery,
  locale: string,
  path: readonly string[],
): Settings {
  const { theme, primaryColor, layout, switches } = query;
  return {
    theme: { mode: theme ?? "auto", values: primaryColor === undefined ? {} : { primaryColor } },
    locale,
    layout: layout ?? "default",
    hidden: {
      header: switches.hideHeader ?? false,
      execute: switches.hideExecuteButton ?? false,
      poweredBy: switches.hidePoweredBy ?? false,
      progress: switches.hideProgress ?? false,
      output: switches.hideOutput ?? false,
    },
    showName: switches.showName ?? true,
    showBranding: switches.showBranding ?? true,
    lockedFields: new Set(),
    hiddenFields: new Set(),
    // `/embed/{workflow}/{interface}`
    interfaceId: query.interface ?? path[1] ?? null,
  };
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
  const layout = EMBED_LAYOUTS.find((name) => name === payload["layout"]);
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
          : (layout ??
            (compact === false && settings.layout === "compact" ? "default" : settings.layout)),
      showName: flag("showName") ?? settings.showName,
      showBranding: flag("showBranding") ?? settings.showBranding,
      lockedFields: keys("lockedFields") ?? settings.lockedFields,
      hiddenFields: keys("hiddenFields") ?? settings.hiddenFields,
    },
    wrong,
  };
}
