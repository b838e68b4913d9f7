/** @jsxImportSource react */
import { useReactFlow } from "@xyflow/react";
import { useWords } from "./context.tsx";
import { Icon } from "./icons.tsx";

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
      onClick={() => void fitView({ maxZoom: 1, padding: 0.12 })}
    >
      <Icon name="fit" />
    </button>
  );
}
