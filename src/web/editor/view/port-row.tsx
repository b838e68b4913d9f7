/** @jsxImportSource react */
/** A port of a card with its handle. */
import { Handle, Position } from "@xyflow/react";
import { type KeyboardEvent, memo } from "react";
import type { Port } from "../core/ports.ts";
import { pick } from "../state/edit.ts";
import { useEditorState, useStore, useWords } from "./context.tsx";
import { HandleShape, PortIcon } from "./icons.tsx";

interface PortRowProps {
  readonly id: string;
  readonly port: Port;
  readonly side: "in" | "out";
  readonly type: string;
  readonly title: string;
  /** False while the handle is too small to be hit: neither pointer nor keyboard then reach it. */
  readonly isTarget: boolean;
}

export const PortRow = memo(function PortRow({
  id,
  port,
  side,
  type,
  title,
  isTarget,
}: PortRowProps) {
  const store = useStore();
  const words = useWords();
  const key = `${id}:${side}:${port.name}`;
  const fit = useEditorState(({ picked }) =>
    picked === null
      ? "none"
      : picked.node === id && picked.port === port.name && picked.side === side
        ? "picked"
        : store.fitting().has(key)
          ? "fits"
          : "fades",
  );
  const label = [
    `${words(side === "in" ? "input" : "output")} ${port.label}, ${type}`,
    ...(port.isRequired && side === "in" ? [words("required")] : []),
    title,
  ].join(", ");
  const take = () => {
    pick(store, { node: id, port: port.name, side });
  };
  return (
    <div className={`port ${side}`} data-port={type} data-fit={fit}>
      {side === "out" && <span className="cut">{port.label}</span>}
      <Handle
        id={`${side}:${port.name}`}
        type={side === "in" ? "target" : "source"}
        position={side === "in" ? Position.Left : Position.Right}
        className="hd"
        data-svc-handle={key}
        data-port={type}
        data-target={isTarget}
        {...(isTarget
          ? {
              role: "button",
              tabIndex: 0,
              "aria-label": label,
              "aria-pressed": fit === "picked",
            }
          : { "aria-hidden": true })}
        onClick={take}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            event.stopPropagation();
            take();
          }
        }}
      >
        <HandleShape type={type} />
      </Handle>
      <PortIcon type={type} />
      {side === "in" && <span className="cut">{port.label}</span>}
      {side === "in" && port.isRequired && (
        <span className="req" aria-hidden="true">
          *
        </span>
      )}
    </div>
  );
});
