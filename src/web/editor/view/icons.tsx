/** @jsxImportSource react */
/** Icons of 16 px with strokes of 1.5. */
import { memo } from "react";

const PICTURE =
  "M2 4a1.5 1.5 0 0 1 1.5-1.5h9A1.5 1.5 0 0 1 14 4v8a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 12zM5.7 4.9v.01M5.7 6a.2.2 0 1 0 0-.1M2.5 12 6.2 8.5l2.3 2 2.3-2.7 3 3.2";
const SHEET =
  "M4 1.8h5.2L12.5 5v8a1.2 1.2 0 0 1-1.2 1.2H4.7A1.2 1.2 0 0 1 3.5 13V3a1.2 1.2 0 0 1 1.2-1.2M9 2v3.3h3.3";
const ROWS =
  "M2 4a1.5 1.5 0 0 1 1.5-1.5h9A1.5 1.5 0 0 1 14 4v8a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 12zM2 6.2h12M2 9.9h12M6.5 6.2v7.3";
const WAVE = "M2 7v2M4.4 4.5v7M6.8 2.5v11M9.2 5.5v5M11.6 4v8M14 7v2";
const FILM =
  "M2 4a1.5 1.5 0 0 1 1.5-1.5h9A1.5 1.5 0 0 1 14 4v8a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 12zM5 2.5v11M11 2.5v11M2 8h12";
const SPARK =
  "M8 1.8v2.4M8 11.8v2.4M1.8 8h2.4M11.8 8h2.4M3.6 3.6l1.5 1.5M10.9 10.9l1.5 1.5M12.4 3.6l-1.5 1.5M5.1 10.9l-1.5 1.5M8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6";
const TEXT = "M3.5 4.5V3h9v1.5M8 3v10M6.3 13h3.4";
const LINES = "M3 4h10M3 8h10M3 12h6";
const BRACES =
  "M6 2.5H5A1.5 1.5 0 0 0 3.5 4v2.4L2 8l1.5 1.6V12A1.5 1.5 0 0 0 5 13.5h1M10 2.5h1A1.5 1.5 0 0 1 12.5 4v2.4L14 8l-1.5 1.6V12a1.5 1.5 0 0 1-1.5 1.5h-1";
const CUBE = "m8 1.8 5.4 3.1v6.2L8 14.2l-5.4-3.1V4.9zM2.8 5 8 8l5.2-3M8 8v6";
const HASH = "M6.5 2.5 5 13.5M11 2.5 9.5 13.5M3 6h10.5M2.5 10H13";
const BOX = "M8 1.8 14 4.6v6.8L8 14.2l-6-2.8V4.6zM2 4.6 8 7.4l6-2.8M8 7.4v6.8M5 3.2l6 2.8";
const BRANCH = "M2 8h4l3-4h5M6 8l3 4h5M12 2l2 2-2 2M12 10l2 2-2 2";
const MERGE = "M2 4h3l4 4h5M2 12h3l4-4M12 6l2 2-2 2";
const TICKBOX =
  "M2 4a1.5 1.5 0 0 1 1.5-1.5h9A1.5 1.5 0 0 1 14 4v8a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 12zM5 8.2l2 2 4-4.4";
const LAYERS = "m8 2 6 3-6 3-6-3zM2.5 8 8 10.8 13.5 8M2.5 11 8 13.8l5.5-2.8";
const SCISSORS =
  "M3.2 5.8a2 2 0 1 0 1.6-3.7 2 2 0 0 0-1.6 3.7M3.2 10.2a2 2 0 1 1 1.6 3.7 2 2 0 0 1-1.6-3.7M5.6 5.5 13.5 12M5.6 10.5 13.5 4";
const MIC =
  "M8 1.8A2 2 0 0 0 6 3.8v4a2 2 0 0 0 4 0v-4a2 2 0 0 0-2-2M3.5 7.5a4.5 4.5 0 0 0 9 0M8 12v2.2";
const SPEECH =
  "M3.5 2.5h9A1.5 1.5 0 0 1 14 4v6a1.5 1.5 0 0 1-1.5 1.5H8L4.5 14v-2.5h-1A1.5 1.5 0 0 1 2 10V4a1.5 1.5 0 0 1 1.5-1.5M5 6h6M5 8.5h4";
const DOWN =
  "M8 2v7.5M4.8 6.5 8 9.7l3.2-3.2M2.5 11.5v1A1.5 1.5 0 0 0 4 14h8a1.5 1.5 0 0 0 1.5-1.5v-1";
const SCALE = "M9.5 2.5h4v4M13.5 2.5 9 7M6.5 13.5h-4v-4M2.5 13.5 7 9";
const DIAL = "M2.2 11.5a6.2 6.2 0 1 1 11.6 0M8 9.5l2.8-3.6";
const SWATCH =
  "M8 1.9A6.1 6.1 0 1 0 8 14c1 0 1.3-.8.9-1.5-.6-1 .1-2 1.2-2h1.6c1.400 0 2.300-1 2.300-2.400C14 4.600 11.400 1.900 8 1.900M5 6.500v.01M8 4.800v.01M11 6.500v.01";
const CODE =
  "M2 2h4.500v4.500H2zM9.500 2H14v4.500H9.500zM2 9.500h4.500V14H2zM9.500 9.500h1.800v1.800M14 9.500v.1M14 12.200V14h-2.200M9.500 14v-.1";
const CALCULATOR =
  "M4 2h8a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1M5.500 4.500h5M5.500 8h.01M8 8h.01M10.500 8h.01M5.500 11h.01M8 11h.01M10.500 11h.01";
const TARGET = "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 .9v3M8 12.100v3M.9 8h3M12.100 8h3";
const SHIELD =
  "M8 1.800 13 3.700v4c0 3-2 5.300-5 6.500-3-1.200-5-3.500-5-6.500v-4zM5.800 8l1.600 1.600 3-3.200";
const SHUFFLE =
  "M2 4.500h2.500l6 7H14M2 11.500h2.500l1.500-1.700M9 6.300l1.500-1.800H14M12.200 2.700 14 4.500l-1.800 1.800M12.200 9.700l1.800 1.800-1.800 1.800";
const REPEAT = "M3 7V6a2 2 0 0 1 2-2h8M11 2l2 2-2 2M13 9v1a2 2 0 0 1-2 2H3M5 14l-2-2 2-2";
const NOTE =
  "M6 12V3.500l7-1.300v8.300M6 12a2 2 0 1 1-4 0 2 2 0 0 1 4 0M13 10.500a2 2 0 1 1-4 0 2 2 0 0 1 4 0";
const SHIRT =
  "M5.500 2.200 2 4.500l1.400 2.700 1.300-.6v7.200h6.600V6.600l1.300.6L14 4.500l-3.500-2.300a2.500 2.500 0 0 1-5 0";
const SOFA =
  "M3 7V4.500A1.500 1.500 0 0 1 4.500 3h7A1.500 1.500 0 0 1 13 4.500V7M2 7.500a1.200 1.200 0 0 1 2.400 0V9h7.200V7.500a1.200 1.200 0 0 1 2.400 0V12H2zM3.500 12v1.500M12.500 12v1.500";
const CUP =
  "M3 5.500h8v4a3.500 3.500 0 0 1-3.500 3.500h-1A3.500 3.500 0 0 1 3 9.500zM11 6.500h1a1.800 1.800 0 0 1 0 3.600h-1M5 1.800v1.500M8 1.800v1.500";
const HORN = "M2 6.500v3h2l6 3V3.500l-6 3zM12.500 5.500a3.500 3.500 0 0 1 0 5M5 10l.8 3.500h1.700";
const CAMERA =
  "M5.500 4 6.500 2.500h3L10.500 4h2A1.500 1.500 0 0 1 14 5.500v6a1.500 1.500 0 0 1-1.500 1.500h-9A1.500 1.500 0 0 1 2 11.500v-6A1.500 1.500 0 0 1 3.500 4zM8 6a2.300 2.300 0 1 0 0 4.600A2.300 2.300 0 0 0 8 6";
const BOOK =
  "M8 3.500C6.500 2.500 4.500 2.300 2 2.500v10c2.500-.2 4.500 0 6 1 1.500-1 3.500-1.200 6-1v-10c-2.500-.2-4.500 0-6 1zM8 3.500v10";
const CLOCK =
  "M8 3a5.500 5.500 0 1 0 0 11A5.500 5.500 0 0 0 8 3M8 6v2.500l1.600 1.200M6.500 1.500h3";
const BLEND = "M6 2.200a4 4 0 1 0 0 8 4 4 0 0 0 0-8M10 5.800a4 4 0 1 0 0 8 4 4 0 0 0 0-8";

/** By the catalog's names of icons; a name that is missing here shows the icon of `fallback`. */
const OF_TYPES: Readonly<Record<string, string>> = {
  "audio-lines": WAVE,
  "audio-waveform": WAVE,
  audio: WAVE,
  activity: WAVE,
  layers: LAYERS,
  "book-open": BOOK,
  "align-left": LINES,
  list: LINES,
  captions: SPEECH,
  speech: SPEECH,
  megaphone: HORN,
  wallpaper: PICTURE,
  image: PICTURE,
  "image-plus": PICTURE,
  "image-down": PICTURE,
  "image-play": PICTURE,
  "file-image": PICTURE,
  coffee: CUP,
  "wand-sparkles": SPARK,
  sparkles: SPARK,
  replace: SHUFFLE,
  shuffle: SHUFFLE,
  camera: CAMERA,
  scissors: SCISSORS,
  sofa: SOFA,
  palette: SWATCH,
  maximize: SCALE,
  scaling: SCALE,
  shirt: SHIRT,
  "list-music": NOTE,
  music: NOTE,
  "file-audio": NOTE,
  timer: CLOCK,
  blend: BLEND,
  gauge: DIAL,
  mic: MIC,
  "file-text": SHEET,
  file: SHEET,
  files: SHEET,
  rows: ROWS,
  table: ROWS,
  repeat: REPEAT,
  "qr-code": CODE,
  toggle: TICKBOX,
  "check-square": TICKBOX,
  "clipboard-check": TICKBOX,
  package: BOX,
  braces: BRACES,
  cube: CUBE,
  hash: HASH,
  text: TEXT,
  video: FILM,
  film: FILM,
  calculator: CALCULATOR,
  "git-branch": BRANCH,
  "git-merge": MERGE,
  crosshair: TARGET,
  download: DOWN,
  "shield-check": SHIELD,
};

/** By port type. */
const OF_PORTS: Readonly<Record<string, string>> = {
  text: TEXT,
  number: HASH,
  boolean: TICKBOX,
  json: BRACES,
  url: "M6.500 9.500a2.800 2.800 0 0 0 4 0l2-2a2.800 2.800 0 0 0-4-4l-1 1M9.500 6.500a2.800 2.800 0 0 0-4 0l-2 2a2.800 2.800 0 0 0 4 4l1-1",
  dataset: ROWS,
  image: PICTURE,
  video: FILM,
  audio: WAVE,
  document: SHEET,
  model3d: CUBE,
};

/** Icons of the editor itself. */
const OWN = {
  undo: "M5.500 3 2.500 6l3 3M3 6h6.500a3.800 3.800 0 0 1 0 7.500H6",
  redo: "m10.500 3 3 3-3 3M13 6H6.500a3.800 3.800 0 0 0 0 7.500H10",
  arrange:
    "M1.800 6.800a.8.8 0 0 1 .8-.8H5a.8.8 0 0 1 .8.8V9a.8.8 0 0 1-.8.8H2.600a.8.8 0 0 1-.8-.8zM10.200 2.600a.8.8 0 0 1 .8-.8h2.400a.8.8 0 0 1 .8.8V5a.8.8 0 0 1-.8.8H11a.8.8 0 0 1-.8-.8zM10.200 11a.8.8 0 0 1 .8-.8h2.400a.8.8 0 0 1 .8.8v2.400a.8.8 0 0 1-.8.8H11a.8.8 0 0 1-.8-.8zM5.800 8H8M10.200 3.800H9a1 1 0 0 0-1 1v6.400a1 1 0 0 0 1 1h1.200",
  fit: "M2.500 6V3.500a1 1 0 0 1 1-1H6M10 2.500h2.500a1 1 0 0 1 1 1V6M13.500 10v2.500a1 1 0 0 1-1 1H10M6 13.500H3.500a1 1 0 0 1-1-1V10",
  list: "M5.500 4h8M5.500 8h8M5.500 12h8M2.500 4h.01M2.500 8h.01M2.500 12h.01",
  copy: "M6 6.500A1.500 1.500 0 0 1 7.500 5h5A1.500 1.500 0 0 1 14 6.500v6a1.500 1.500 0 0 1-1.500 1.500h-5A1.500 1.500 0 0 1 6 12.500zM10.500 5V3.500A1.500 1.500 0 0 0 9 2H3.500A1.500 1.500 0 0 0 2 3.500V9a1.500 1.500 0 0 0 1.500 1.500H6",
  paste:
    "M5.500 3h-1A1.500 1.500 0 0 0 3 4.500v8A1.500 1.500 0 0 0 4.500 14h7a1.500 1.500 0 0 0 1.500-1.500v-8A1.500 1.500 0 0 0 11.500 3h-1M6.500 1.800h3a.8.8 0 0 1 .8.8v1a.8.8 0 0 1-.8.8h-3a.8.8 0 0 1-.8-.8v-1a.8.8 0 0 1 .8-.8",
  remove:
    "M2.500 4.200h11M6 4.200V2.800a.8.8 0 0 1 .8-.8h2.400a.8.8 0 0 1 .8.8v1.400M4 4.200l.6 8.600a1.200 1.200 0 0 0 1.200 1.200h4.400a1.200 1.200 0 0 0 1.200-1.200l.6-8.600M6.700 7v4M9.300 7v4",
  help: "M5.900 6a2.200 2.200 0 1 1 3.200 2c-.7.400-1.100.8-1.100 1.500M8 12v.01",
  search: "M7 2.700a4.300 4.300 0 1 0 0 8.600 4.300 4.300 0 0 0 0-8.600M10.200 10.200l3.300 3.300",
  close: "m4 4 8 8M12 4l-8 8",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  play: "M5 3.200v9.600L12.500 8z",
  stop: "M4.500 3.500h7a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1",
  chevron: "m6 4 4 4-4 4",
  down: "m4 6 4 4 4-4",
  up: "m4 10 4-4 4 4",
  error:
    "M5.400 1.800h5.200l3.600 3.600v5.200l-3.600 3.600H5.400L1.800 10.600V5.400zM8 5v3.500M8 10.900v.01",
  warning: "M8 2.200 14.400 13.500H1.600zM8 6.500v3M8 11.500v.01",
  repeat: REPEAT,
  download: DOWN,
  grip: "M6 4v.01M10 4v.01M6 8v.01M10 8v.01M6 12v.01M10 12v.01",
  graph: MERGE,
} as const;

export type IconName = keyof typeof OWN;

function Drawn({ path, size, flip = false }: { path: string; size: number; flip?: boolean }) {
  return (
    <svg
      className={flip ? "ic flip" : "ic"}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}

export const Icon = memo(function Icon({
  name,
  size = 16,
  flip = false,
}: {
  name: IconName;
  size?: number;
  flip?: boolean;
}) {
  return <Drawn path={OWN[name]} size={size} flip={flip} />;
});

/** The icon of a node type, by the name that the catalog gives. */
export const TypeIcon = memo(function TypeIcon({
  name,
  size = 14,
}: {
  name: string;
  size?: number;
}) {
  return <Drawn path={OF_TYPES[name] ?? BOX} size={size} />;
});

export const PortIcon = memo(function PortIcon({
  type,
  size = 12,
}: {
  type: string;
  size?: number;
}) {
  return <Drawn path={OF_PORTS[type] ?? TARGET} size={size} />;
});

/** Shapes of handles, by family of types: circle, diamond, square, page, ring. */
const SHAPES: Readonly<Record<string, string>> = {
  text: "M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1z",
  json: "M6 .4 11.600 6 6 11.600.4 6z",
  image:
    "M2.800 1.300h6.400a1.500 1.500 0 0 1 1.500 1.500v6.400a1.500 1.500 0 0 1-1.500 1.500H2.800a1.500 1.500 0 0 1-1.500-1.500V2.800a1.500 1.500 0 0 1 1.500-1.500z",
  document:
    "M2.500 1h4.700l3 3v6a1.200 1.200 0 0 1-1.200 1.200H3A1.200 1.200 0 0 1 1.800 10V2.200A1.200 1.200 0 0 1 3 1z",
};

const FAMILIES: Readonly<Record<string, string>> = {
  text: "text",
  number: "text",
  boolean: "text",
  json: "json",
  url: "json",
  dataset: "json",
  image: "image",
  video: "image",
  audio: "image",
  document: "document",
  model3d: "document",
};

/** The shape of a handle; a type without a family is a ring, as `any` is. */
export const HandleShape = memo(function HandleShape({ type }: { type: string }) {
  const shape = SHAPES[FAMILIES[type] ?? ""];
  return (
    <svg className="shape" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      {shape === undefined ? <circle className="ring" cx="6" cy="6" r="4" /> : <path d={shape} />}
    </svg>
  );
});

/** The mark of a state: ring, arc, disc, octagon. */
export const StateIcon = memo(function StateIcon({ state }: { state: string }) {
  return (
    <svg
      className={state === "running" ? "state turn" : "state"}
      width="14"
      height="14"
      viewBox="0 0 14 14"
      fill="none"
      aria-hidden="true"
    >
      {drawState(state)}
    </svg>
  );
});

function drawState(state: string) {
  switch (state) {
    case "running":
    case "cancelling":
      return (
        <>
          <circle cx="7" cy="7" r="5.5" stroke="currentColor" strokeWidth="1.5" opacity=".3" />
          <path
            d="M7 1.500A5.500 5.500 0 0 1 12.500 7"
            stroke="currentColor"
            strokeWidth="1.8"
            strokeLinecap="round"
          />
        </>
      );
    case "completed":
      return (
        <>
          <circle cx="7" cy="7" r="6.250" fill="currentColor" />
          <path
            d="M4.400 7.200 6.300 9.100 9.700 5.200"
            className="cut-out"
            strokeWidth="1.6"
            strokeLinecap="round"
          />
        </>
      );
    case "partial_success":
      return (
        <>
          <circle cx="7" cy="7" r="5.500" stroke="currentColor" strokeWidth="1.5" />
          <path d="M7 1.500v11A5.500 5.500 0 0 0 7 1.500" fill="currentColor" />
        </>
      );
    case "failed":
      return (
        <>
          <path
            d="M4.400.8h5.200l3.600 3.600v5.200l-3.600 3.600H4.400L.8 9.600V4.400z"
            fill="currentColor"
          />
          <path
            d="m5 5 4 4M9 5 5 9"
            className="cut-out"
            strokeWidth="1.600"
            strokeLinecap="round"
          />
        </>
      );
    case "skipped":
    case "cancelled":
      return (
        <>
          <circle cx="7" cy="7" r="5.500" stroke="currentColor" strokeWidth="1.5" />
          <path d="M4.500 7h5" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" />
        </>
      );
    case "pending":
      return (
        <circle
          cx="7"
          cy="7"
          r="5.500"
          stroke="currentColor"
          strokeWidth="1.5"
          strokeDasharray="2 2.320"
        />
      );
    default:
      return <circle cx="7" cy="7" r="5.500" stroke="currentColor" strokeWidth="1.5" />;
  }
}
