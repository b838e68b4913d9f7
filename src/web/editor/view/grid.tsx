/** @jsxImportSource react */
/** The dots behind the canvas. */
import { useStoreApi } from "@xyflow/react";
import { useLayoutEffect, useRef } from "react";

/** Distances of the dots on the canvas, and the zoom from which on each is used: on the screen it is 10 to 40 px. */
const GAPS = [
  { from: 0.5, gap: 20 },
  { from: 0.2, gap: 60 },
  { from: 0, gap: 180 },
] as const;
/** How far the dots go beyond the canvas, as in the style sheet: more than the widest distance. */
const MARGIN = 80;

/** Moves a layer by less than one distance: a pattern of the canvas would be painted again in each frame. */
export function Grid() {
  const flow = useStoreApi();
  const dots = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    let stepBefore = 0;
    const show = () => {
      const { style } = dots.current ?? {};
      const [x, y, zoom] = flow.getState().transform;
      const step = (GAPS.find(({ from }) => zoom >= from) ?? GAPS[2]).gap * zoom;
      if (style === undefined) {
        return;
      }
      if (step !== stepBefore) {
        stepBefore = step;
        style.setProperty("--step", `${String(step)}px`);
        style.setProperty("--dot", `${String(0.75 * Math.max(1, zoom))}px`);
      }
      style.transform = `translate(${String(shift(x, step))}px, ${String(shift(y, step))}px)`;
    };
    show();
    return flow.subscribe(show);
  }, [flow]);
  return (
    <div className="grid" aria-hidden="true">
      <i ref={dots} />
    </div>
  );
}

/** So that a dot, which is in the middle of its square, is where the origin of the canvas is. */
function shift(origin: number, step: number): number {
  const rest = (origin + MARGIN - step / 2) % step;
  return rest < 0 ? rest + step : rest;
}
