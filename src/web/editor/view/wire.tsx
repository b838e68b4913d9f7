/** @jsxImportSource react */
/** A wire: a curve in the color of the type that flows through it. */
import { BaseEdge, type EdgeProps, getBezierPath } from "@xyflow/react";
import { memo } from "react";

/** Width of the area that a pointer hits, in pixels of the canvas. */
const HIT_WIDTH = 16;

export const WireEdge = memo(function WireEdge(props: EdgeProps) {
  const [path] = getBezierPath(props);
  const type = props.data?.["type"];
  return (
    <g data-port={typeof type === "string" ? type : "any"}>
      <BaseEdge id={props.id} path={path} interactionWidth={HIT_WIDTH} />
    </g>
  );
});
