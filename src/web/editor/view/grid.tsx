/** @jsxImportSource react */
/** The dots behind the canvas. */
import { useStoreApi } from "@xyflow/react";
import { useLayoutEffect, useRef } from "react";
import { DOTS_SCALE as SCALE, shiftDots as shift } from "../core/dots.ts";

/** Distances of the dots on the canvas, and the zoom from which on each is used: on the screen it is 9 to 40 px. */
const GAPS = [
  { from: 0.5, gap: 20 },
  { from: 0.2, gap: 60 },
  { from: 0, gap: 180 },
] as const;
/** After the last step of a zoom, the dots are painted at their own size. */
const SETTLED_MS = 150;

/**
 * Moves and scales a painted layer: a pattern of the canvas would be painted again in each frame of a pan or a zoom, which
 * costs more than the frame has.
 */
export function Grid() {
  const flow = useStoreApi();
  const dots = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const painted = { gap: 0, step: 0 };
    let settling: ReturnType<typeof setTimeout> | undefined;
    const show = (isSettled = false) => {
      const { style } = dots.current ?? {};
      if (style === undefined) {
        return;
      }
      const { transform, width, height } = flow.getState();
      const [x, y, zoom] = transform;
      const { gap } = GAPS.find(({ from }) => zoom >= from) ?? GAPS[2];
      const step = gap * zoom;
      const drawn = step / painted.step;
      if (isSettled || gap !== painted.gap || drawn < SCALE.min || drawn > SCALE.max) {
        painted.gap = gap;
        painted.step = step;
        style.setProperty("--step", `${String(step)}px`);
        style.setProperty("--dot", `${String(0.75 * Math.max(1, zoom))}px`);
      }
      const scale = step / painted.step;
      clearTimeout(settling);
      settling = scale === 1 ? undefined : setTimeout(show, SETTLED_MS, true);
      const [left, top] = [shift(x, step, width, scale), shift(y, step, height, scale)];
      style.transform = `translate(${String(left)}px, ${String(top)}px) scale(${String(scale)})`;
    };
    show();
    const stop = flow.subscribe(() => {
      show();
    });
    return () => {
      stop();
      clearTimeout(settling);
    };
  }, [flow]);
  return (
    <div className="grid" aria-hidden="true">
      <i ref={dots} />
    </div>
  );
}
