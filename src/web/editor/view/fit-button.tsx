/** @jsxImportSource react */
import { useReactFlow } from "@xyflow/react";
import { useWords } from "./context.tsx";
import { Icon } from "./icons.tsx";

/** Of the whole graph in view. The overview and the zoom buttons lie over the lowest part of the canvas. */
export const FIT = { maxZoom: 1, padding: { x: 0.12, top: 0.12, bottom: "144px" } } as const;

/** Shows the whole graph. */
export function FitButton() {
  const words = useWords();
  const { fitView } = useReactFlow();
  return (
    <button
      className="btn btn-s btn-i"
      data-svc-action="fit"
      aria-label={words("fit")}
      title={words("fit")}
      onClick={() => void fitView(FIT)}
    >
      <Icon name="fit" />
    </button>
  );
}
