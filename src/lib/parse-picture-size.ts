/** Returns the size that a model's `sizes` name as `WxH`, in pixels. */
export function parsePictureSize(text: string): {
  readonly width: number;
  readonly height: number;
} {
  const [width = 0, height = 0] = text.split("x").map(Number);
  return { width, height };
}
