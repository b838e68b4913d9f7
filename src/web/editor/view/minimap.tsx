/** @jsxImportSource react */
/** The whole graph in a corner of the canvas, with the part that is in view; a press or a drag moves the view there. */
import { useReactFlow, useStoreApi } from "@xyflow/react";
import { memo, type PointerEvent, useLayoutEffect, useMemo, useRef } from "react";
import { useWords } from "./context.tsx";
import type { CardNode } from "./node-card.tsx";

/** As in the style sheet, in pixels. */
const [WIDTH, HEIGHT, PADDING] = [176, 96, 8] as const;
/** Of one notch of a wheel. */
const ZOOM_STEP = 1.2;

/** From a place on the canvas to one on the map: `(place - origin) * scale`. */
interface MapScale {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export const Minimap = memo(function Minimap({ nodes }: { readonly nodes: readonly CardNode[] }) {
  const words = useWords();
  const flow = useStoreApi();
  const { setCenter, getZoom, zoomTo } = useReactFlow();
  const map = useMemo(() => scaleOf(nodes), [nodes]);
  const blocks = useMemo(() => blocksOf(nodes, map), [nodes, map]);
  const view = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // Without a render: it moves with each frame of a pan.
    const show = () => {
      const { style } = view.current ?? {};
      if (style === undefined) {
        return;
      }
      const { transform, width, height } = flow.getState();
      const [x, y, zoom] = transform;
      const at = `translate(${String((-x / zoom - map.x) * map.scale)}px, ${String((-y / zoom - map.y) * map.scale)}px)`;
      const size = [width, height].map((length) => `${String((length / zoom) * map.scale)}px`);
      style.transform = at;
      style.inlineSize = size[0] ?? "";
      style.blockSize = size[1] ?? "";
    };
    show();
    return flow.subscribe(show);
  }, [flow, map]);
  const go = ({ currentTarget, clientX, clientY }: PointerEvent<HTMLElement>) => {
    const { left, top } = currentTarget.getBoundingClientRect();
    const { clientLeft, clientTop } = currentTarget;
    void setCenter(
      (clientX - left - clientLeft) / map.scale + map.x,
      (clientY - top - clientTop) / map.scale + map.y,
      { zoom: getZoom() },
    );
  };
  return (
    <div
      className="minimap"
      role="img"
      aria-label={words("minimap")}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) {
          go(event);
        }
      }}
      onWheel={(event) => {
        event.preventDefault();
        void zoomTo(getZoom() * (event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP));
      }}
    >
      <svg width={WIDTH} height={HEIGHT} aria-hidden="true">
        {[...blocks].map(([state, path]) => (
          <path key={state} className={`mini-${state}`} d={path} />
        ))}
      </svg>
      <i ref={view} />
    </div>
  );
});

/** All nodes in the middle of the map, not larger than a fifth of their size. */
function scaleOf(nodes: readonly CardNode[]): MapScale {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { position, measured } of nodes) {
    left = Math.min(left, position.x);
    top = Math.min(top, position.y);
    right = Math.max(right, position.x + (measured?.width ?? 0));
    bottom = Math.max(bottom, position.y + (measured?.height ?? 0));
  }
  if (right < left) {
    return { x: 0, y: 0, scale: 0.1 };
  }
  const [width, height] = [WIDTH - 2 * PADDING, HEIGHT - 2 * PADDING];
  const scale = Math.min(width / (right - left), height / (bottom - top), 0.2);
  return {
    x: (left + right) / 2 - WIDTH / 2 / scale,
    y: (top + bottom) / 2 - HEIGHT / 2 / scale,
    scale,
  };
}

/** One path for the nodes of each state. */
function blocksOf(
  nodes: readonly CardNode[],
  { x, y, scale }: MapScale,
): ReadonlyMap<string, string> {
  const blocks = new Map<string, string>();
  const place = (length: number) => (length * scale).toFixed(1);
  for (const { position, measured, data } of nodes) {
    const state = data.run?.state ?? "idle";
    const [width, height] = [place(measured?.width ?? 0), place(measured?.height ?? 0)];
    const block = `M${place(position.x - x)} ${place(position.y - y)}h${width}v${height}h-${width}z`;
    blocks.set(state, `${blocks.get(state) ?? ""}${block}`);
  }
  return blocks;
}
