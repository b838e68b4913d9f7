import type { CodeSpec, Rgb } from "../../contracts/code-symbol.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { boxPath } from "../vector/path.ts";
import type { Layer, Scene } from "../vector/scene.ts";
import type { QrMatrix } from "./encode-qr.ts";
import { eyeBallPath, eyeFramePath, modulePath, type Neighbours } from "./module-path.ts";

/** ISO/IEC 18004 §5.3.8, docs/contract/codes.md#drawing. */
const QUIET_ZONE_MODULES = 4;
const EYE_MODULES = 7;
const WHITE: Rgb = [255, 255, 255];

/** Position of the logo, in px of the picture. */
export interface LogoBox {
  readonly left: number;
  readonly top: number;
  readonly side: number;
}

export interface QrLayout {
  readonly scene: Scene;
  readonly modulePx: number;
  readonly symbolModules: number;
  readonly logoBox: LogoBox | null;
  readonly logoCoverage: number;
}

/**
 * Places the modules on whole pixels: the remainder widens the quiet zone beyond 4 modules. Throws
 * NodeError `CODE_TOO_SMALL` if a module would be narrower than a pixel.
 */
export function layOutQr(matrix: QrMatrix, spec: CodeSpec): QrLayout {
  const { size: n } = matrix;
  const modulePx = Math.floor(spec.size / (n + 2 * QUIET_ZONE_MODULES));
  if (modulePx < 1) {
    throw new NodeError(
      "CODE_TOO_SMALL",
      `This QR code has ${n} modules on each side and needs at least ${n + 2 * QUIET_ZONE_MODULES} px with its quiet zone; size is ${spec.size}. Raise size, shorten the text or lower error_correction.`,
    );
  }
  const origin = Math.floor((spec.size - n * modulePx) / 2);
  const patch = spec.logo === undefined ? null : logoPatch(n, spec.logoSizePercent);
  const drawn = (x: number, y: number): boolean =>
    x >= 0 &&
    x < n &&
    matrix.dark[y * n + x] === 1 &&
    !inEye(x, y, n) &&
    !(patch !== null && inPatch(x, y, patch, spec));
  const layers: Layer[] = [
    ...moduleLayers(drawn, n, spec, origin, modulePx),
    ...eyeLayers(n, spec, origin, modulePx),
  ];
  let logoBox: LogoBox | null = null;
  let logoCoverage = 0;
  if (patch !== null) {
    const patchPx = patch.side * modulePx;
    const at = origin + patch.from * modulePx;
    const radius = { square: 0, rounded: 0.2 * patchPx, circle: 0.5 * patchPx }[
      spec.logoBackground
    ];
    layers.push({
      kind: "stamps",
      color: spec.backgroundColor ?? WHITE,
      path: boxPath(0, 0, patchPx, patchPx, [radius, radius, radius, radius]),
      at: [at, at],
    });
    // Half a module of margin; in a circle, the inscribed square.
    const side = Math.round(spec.logoBackground === "circle" ? patchPx * 0.7 : patchPx - modulePx);
    const inset = Math.round((patchPx - side) / 2);
    logoBox = { left: at + inset, top: at + inset, side };
    const share = { square: 1, rounded: 1, circle: Math.PI / 4 }[spec.logoBackground];
    logoCoverage = (share * patch.side ** 2) / n ** 2;
  }
  return {
    scene: { width: spec.size, height: spec.size, background: spec.backgroundColor, layers },
    modulePx,
    symbolModules: n,
    logoBox,
    logoCoverage,
  };
}

function inEye(x: number, y: number, n: number): boolean {
  const low = (value: number) => value < EYE_MODULES;
  const high = (value: number) => value >= n - EYE_MODULES;
  return (low(x) && low(y)) || (high(x) && low(y)) || (low(x) && high(y));
}

interface Patch {
  readonly from: number;
  readonly side: number;
}

/**
 * An odd whole number of modules, like the symbol's, so that the patch is aligned with the grid.
 */
function logoPatch(n: number, percent: number): Patch {
  const wanted = (n * percent) / 100;
  const side = Math.max(3, 2 * Math.round((wanted - 1) / 2) + 1);
  return { from: (n - side) / 2, side };
}

/**
 * Modules that the patch touches are omitted completely: cut ones look damaged and do not improve
 * scanning.
 */
function inPatch(x: number, y: number, patch: Patch, spec: CodeSpec): boolean {
  const { from, side } = patch;
  if (x < from || x >= from + side || y < from || y >= from + side) {
    return false;
  }
  if (spec.logoBackground !== "circle") {
    return true;
  }
  const middle = from + side / 2;
  return Math.hypot(x + 0.5 - middle, y + 0.5 - middle) < side / 2 + 0.5;
}

function moduleLayers(
  drawn: (x: number, y: number) => boolean,
  n: number,
  spec: CodeSpec,
  origin: number,
  px: number,
): Layer[] {
  if (spec.moduleShape === "square") {
    return [{ kind: "rects", color: spec.codeColor, rects: squareRuns(drawn, n, origin, px) }];
  }
  const joins = spec.moduleShape === "rounded";
  const groups = new Map<number, { neighbours: Neighbours; at: number[] }>();
  for (let y = 0; y < n; y++) {
    for (let x = 0; x < n; x++) {
      if (!drawn(x, y)) {
        continue;
      }
      const neighbours = {
        up: joins && drawn(x, y - 1),
        right: joins && drawn(x + 1, y),
        down: joins && drawn(x, y + 1),
        left: joins && drawn(x - 1, y),
      };
      const key =
        (neighbours.up ? 1 : 0) |
        (neighbours.right ? 2 : 0) |
        (neighbours.down ? 4 : 0) |
        (neighbours.left ? 8 : 0);
      let group = groups.get(key);
      if (group === undefined) {
        group = { neighbours, at: [] };
        groups.set(key, group);
      }
      group.at.push(origin + x * px, origin + y * px);
    }
  }
  const shape = spec.moduleShape;
  return [...groups.values()].map(({ neighbours, at }) => ({
    kind: "stamps",
    color: spec.codeColor,
    path: modulePath(shape, px, neighbours),
    at,
  }));
}

/** Adjacent dark modules as one rectangle. */
function squareRuns(
  drawn: (x: number, y: number) => boolean,
  n: number,
  origin: number,
  px: number,
): number[] {
  const rects: number[] = [];
  for (let y = 0; y < n; y++) {
    for (let x = 0; x < n; x++) {
      const start = x;
      while (x < n && drawn(x, y)) {
        x++;
      }
      if (x > start) {
        rects.push(origin + start * px, origin + y * px, (x - start) * px, px);
      }
    }
  }
  return rects;
}

function eyeLayers(n: number, spec: CodeSpec, origin: number, px: number): Layer[] {
  const far = origin + (n - EYE_MODULES) * px;
  const at = [origin, origin, far, origin, origin, far];
  return [
    { kind: "stamps", color: spec.eyeColor, path: eyeFramePath(spec.eyeFrameShape, px), at },
    { kind: "stamps", color: spec.eyeColor, path: eyeBallPath(spec.eyeBallShape, px), at },
  ];
}
