/** Receives an outline from HarfBuzz, in font units. An exception in a method ends the drawing. */
export interface OutlineSink {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  quadraticTo(controlX: number, controlY: number, x: number, y: number): void;
  cubicTo(
    control1X: number,
    control1Y: number,
    control2X: number,
    control2Y: number,
    x: number,
    y: number,
  ): void;
  closePath(): void;
}
