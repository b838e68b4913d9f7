import type { CodeSpec, DrawnCode } from "../../contracts/code-symbol.ts";
import { paintRaster } from "../vector/paint-raster.ts";
import { paintSvg } from "../vector/paint-svg.ts";
import type { Layer } from "../vector/scene.ts";
import { encodeBars } from "./encode-bars.ts";
import { encodeQr } from "./encode-qr.ts";
import { layOutBars } from "./lay-out-bars.ts";
import { layOutQr } from "./lay-out-qr.ts";
import { measureQuietZone } from "./measure-quiet-zone.ts";
import { normalizeCodeText } from "./normalize-code-text.ts";

/** A logo as pixels for the raster picture and as markup for the SVG. */
export interface PaintedLogo {
  readonly rgba: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  /** An SVG element that shows the logo in a box of `width` by `height` at (`x`, `y`). */
  markup(x: number, y: number): string;
}

/** Draws the logo as large as fits into a square of `side` px. */
export type LogoPainter = (
  logo: NonNullable<CodeSpec["logo"]>,
  side: number,
) => Promise<PaintedLogo>;

/**
 * Draws a code symbol: one geometry, painted as pixels and as SVG. Throws NodeError
 * `CODE_TEXT_INVALID` or `CODE_TOO_SMALL`, and the errors of the logo's painter.
 */
export async function drawCode(spec: CodeSpec, paintLogo: LogoPainter): Promise<DrawnCode> {
  const text = normalizeCodeText(spec.symbology, spec.text);
  return spec.symbology === "qr"
    ? drawQr(text, spec, paintLogo)
    : drawBars(spec.symbology, text, spec);
}

async function drawQr(text: string, spec: CodeSpec, paintLogo: LogoPainter): Promise<DrawnCode> {
  // A logo covers modules: only the highest level of error correction compensates for that.
  const least = spec.logo === undefined ? spec.errorCorrection : "H";
  const matrix = encodeQr(text, least);
  const layout = layOutQr(matrix, spec);
  const layers: Layer[] = [...layout.scene.layers];
  if (spec.logo !== undefined && layout.logoBox !== null) {
    const { left, top, side } = layout.logoBox;
    const logo = await paintLogo(spec.logo, side);
    const x = left + Math.floor((side - logo.width) / 2);
    const y = top + Math.floor((side - logo.height) / 2);
    layers.push({
      kind: "picture",
      x,
      y,
      width: logo.width,
      height: logo.height,
      rgba: logo.rgba,
      svg: logo.markup(x, y),
    });
  }
  const scene = { ...layout.scene, layers };
  const rgba = paintRaster(scene);
  const quiet = measureQuietZone({
    rgba,
    width: scene.width,
    fromRow: 0,
    toRow: scene.height,
    background: scene.background,
    inks: [spec.codeColor, spec.eyeColor],
  });
  return {
    text,
    get svg() {
      return paintSvg(scene);
    },
    rgba,
    width: scene.width,
    height: scene.height,
    errorCorrection: matrix.errorCorrection,
    modulePx: layout.modulePx,
    quietZone: [Math.min(...quiet) / layout.modulePx],
    logoCoverage: layout.logoCoverage,
  };
}

function drawBars(symbology: "ean13" | "code128", text: string, spec: CodeSpec): DrawnCode {
  const layout = layOutBars(symbology, text, encodeBars(symbology, text), spec);
  const { scene, modulePx, barRow } = layout;
  const rgba = paintRaster(scene);
  const [left, , right] = measureQuietZone({
    rgba,
    width: scene.width,
    fromRow: barRow,
    toRow: barRow + 1,
    background: scene.background,
    inks: [spec.codeColor],
  });
  return {
    text,
    get svg() {
      return paintSvg(scene);
    },
    rgba,
    width: scene.width,
    height: scene.height,
    errorCorrection: null,
    modulePx,
    quietZone: [left / modulePx, right / modulePx],
    logoCoverage: 0,
  };
}
