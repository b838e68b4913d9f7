import { MEDIA_KIND_NAMES, type MediaKind, mediaKind } from "../../contracts/media/media-kinds.ts";

/** Icons of the pages: 16 px, one stroke, decorative. An icon alone in a button needs an `aria-label` on the button. */
const PATHS = {
  search: '<circle cx="7" cy="7" r="4.3"/><path d="m10.2 10.2 3.3 3.3"/>',
  theme:
    '<circle cx="8" cy="8" r="2.7"/><path d="M8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1"/>',
  copy: '<rect x="5.5" y="5.5" width="8" height="8" rx="1.2"/><path d="M10.5 5.5V3.7a1.2 1.2 0 0 0-1.2-1.2H3.7a1.2 1.2 0 0 0-1.2 1.2v5.6a1.2 1.2 0 0 0 1.2 1.2h1.8"/>',
  menu: '<path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11"/>',
  next: '<path d="m6 4 4 4-4 4"/>',
  info: '<circle cx="8" cy="8" r="6"/><path d="M8 7.3v3.5M8 5.2v.01"/>',
  key: '<circle cx="5.2" cy="10.8" r="2.7"/><path d="m7.2 8.8 6-6M11 5l1.8 1.8M9.2 6.8l1.2 1.2"/>',
  text: '<path d="M3.5 4.5V3h9v1.5M8 3v10M6.3 13h3.4"/>',
  number: '<path d="M6.2 2.5 4.8 13.5M11.2 2.5 9.8 13.5M3 6h10.5M2.5 10H13"/>',
  boolean: '<rect x="1.5" y="4.5" width="13" height="7" rx="3.5"/><circle cx="11" cy="8" r="1.6"/>',
  json: '<path d="M6 2.5c-2 0-2 1-2 2.3C4 6.500 4 7.500 2.500 8 4 8.500 4 9.500 4 11.200c0 1.300 0 2.300 2 2.300M10 2.500c2 0 2 1 2 2.300 0 1.700 0 2.700 1.500 3.200-1.500.5-1.500 1.500-1.500 3.200 0 1.300 0 2.300-2 2.300"/>',
  url: '<path d="M6.800 9.200a2.600 2.600 0 0 0 3.700 0l2.300-2.300a2.600 2.600 0 0 0-3.700-3.700L8 4.300M9.200 6.800a2.600 2.600 0 0 0-3.700 0L3.200 9.100a2.600 2.600 0 0 0 3.700 3.700L8 11.700"/>',
  dataset:
    '<rect x="2" y="2.500" width="12" height="11" rx="1.500"/><path d="M2 6h12M2 9.700h12M6.500 6v7.500"/>',
  any: '<path d="M8 3v10M3.700 5.500l8.600 5M12.300 5.500l-8.600 5"/>',
  code: '<rect x="2" y="2" width="4.5" height="4.5" rx=".6"/><rect x="9.5" y="2" width="4.5" height="4.5" rx=".6"/><rect x="2" y="9.5" width="4.5" height="4.5" rx=".6"/><path d="M9.5 9.5h1.8v1.8M14 9.5v.1M14 12.2V14h-2.2M9.5 14v-.1"/>',
  terminal:
    '<rect x="1.500" y="2.500" width="13" height="11" rx="1.500"/><path d="m4.500 6 2 2-2 2M8.500 10h3"/>',
  bell: '<path d="M4 11V7a4 4 0 0 1 8 0v4l1 1.200H3L4 11ZM6.700 13.800h2.600"/>',
  ...mediaPaths(),
} as const;

export type IconName = keyof typeof PATHS;

function mediaPaths(): Readonly<Record<MediaKind, string>> {
  const entries = MEDIA_KIND_NAMES.map((kind) => [kind, mediaKind(kind).icon.path] as const);
  return Object.fromEntries(entries) as Record<MediaKind, string>;
}

export function icon(name: IconName, size = 16): string {
  return `<svg width="${size}" height="${size}" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${PATHS[name]}</svg>`;
}

/** The logo: three warp threads, and two weft threads in the accent color. */
export function logo(size: number): string {
  return `<svg width="${size}" height="${size}" viewBox="0 0 24 24" fill="none" stroke-width="2.4" stroke-linecap="round" aria-hidden="true"><path d="M7 3v18M12 3v4.2M12 11.8V21M17 3v18" stroke="currentColor"/><path class="logo-weft" d="M2.5 9.5h2M9.3 9.5h10.2M2.5 15H15M19.3 15h2.2"/></svg>`;
}

/** Icons of a run's terminal states; always shown together with the state's name. */
const STATE_MARKS = {
  completed:
    '<circle cx="7" cy="7" r="6.25" fill="currentColor"/><path class="mark-ground" d="M4.4 7.2 6.3 9.1 9.7 5.2"/>',
  partial_success:
    '<circle cx="7" cy="7" r="5.5" stroke="currentColor" stroke-width="1.5"/><path d="M7 1.500a5.500 5.500 0 0 1 0 11Z" fill="currentColor"/>',
  failed:
    '<path d="M4.400.75h5.200L13.250 4.400v5.200L9.600 13.250H4.400L.75 9.600V4.400Z" fill="currentColor"/><path class="mark-ground" d="m5 5 4 4M9 5 5 9"/>',
  cancelled:
    '<circle cx="7" cy="7" r="5.500" stroke="currentColor" stroke-width="1.5"/><path d="m3.200 10.800 7.600-7.600" stroke="currentColor" stroke-width="1.5"/>',
} as const;

export type EndState = keyof typeof STATE_MARKS;

export function statePill(state: EndState, word: string): string {
  return `<span class="pill" data-s="${state}"><svg width="14" height="14" viewBox="0 0 14 14" fill="none" aria-hidden="true">${STATE_MARKS[state]}</svg>${word}</span>`;
}
