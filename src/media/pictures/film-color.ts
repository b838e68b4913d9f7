/** Colors of a decoded picture as its stream states them (ITU-T H.273). */
export interface StatedColors {
  /** MatrixCoefficients; 2 where nothing is stated. */
  readonly matrix: number;
  readonly isFullRange: boolean;
  readonly bitDepth: number;
  /** Of the picture, in pixels: it decides where nothing is stated. */
  readonly height: number;
}

/** Weights of red and blue in the luma (H.273, table 4). */
interface LumaWeights {
  readonly red: number;
  readonly blue: number;
}

const BT601: LumaWeights = { red: 0.299, blue: 0.114 };
const BT709: LumaWeights = { red: 0.2126, blue: 0.0722 };
const WEIGHTS: Readonly<Record<number, LumaWeights>> = {
  1: BT709,
  4: { red: 0.3, blue: 0.11 },
  5: BT601,
  6: BT601,
  7: { red: 0.212, blue: 0.087 },
  9: { red: 0.2627, blue: 0.0593 },
  10: { red: 0.2627, blue: 0.0593 },
};
/** From this height on, pictures that state nothing are HD. */
const HD_HEIGHT = 720;

/** Numbers with which a sample of each plane becomes a share of red, green and blue from 0 to 255. */
export interface ColorConversion {
  /** The planes are green, blue and red. */
  readonly isRgb: boolean;
  readonly lumaOffset: number;
  readonly lumaScale: number;
  readonly chromaOffset: number;
  readonly redOfCr: number;
  readonly greenOfCb: number;
  readonly greenOfCr: number;
  readonly blueOfCb: number;
}

const IDENTITY = 0;

/** The conversion to RGB by BT.601, BT.709 or another matrix that the stream states, in limited or full range. */
export function colorConversion({
  matrix,
  isFullRange,
  bitDepth,
  height,
}: StatedColors): ColorConversion {
  const { red, blue } = WEIGHTS[matrix] ?? (height >= HD_HEIGHT ? BT709 : BT601);
  const green = 1 - red - blue;
  const step = 2 ** (bitDepth - 8);
  const most = 2 ** bitDepth - 1;
  const lumaScale = isFullRange ? 255 / most : 255 / (219 * step);
  const chromaScale = isFullRange ? 255 / most : 255 / (224 * step);
  return {
    isRgb: matrix === IDENTITY,
    lumaOffset: isFullRange ? 0 : 16 * step,
    lumaScale,
    chromaOffset: 128 * step,
    redOfCr: 2 * (1 - red) * chromaScale,
    greenOfCb: (-2 * blue * (1 - blue) * chromaScale) / green,
    greenOfCr: (-2 * red * (1 - red) * chromaScale) / green,
    blueOfCb: 2 * (1 - blue) * chromaScale,
  };
}
