/** @jsxImportSource react */
/** A node on the canvas: head, ports with their handles, foot with the state. */
import {
  type Node,
  type NodeProps,
  useStore as useFlowStore,
  useUpdateNodeInternals,
} from "@xyflow/react";
import {
  type FocusEvent,
  type KeyboardEvent,
  memo,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { Issue } from "../core/issues.ts";
import { nodeHeight } from "../core/node-size.ts";
import type { CatalogEntry, Ports } from "../core/ports.ts";
import type { NodeRun } from "../core/run-state.ts";
import { selectNodes } from "../state/edit.ts";
import { useEditorState, useStore, useWords } from "./context.tsx";
import { Icon, StateIcon } from "./icons.tsx";
import { PortRow } from "./port-row.tsx";
import { colorTile, Tile } from "./tile.tsx";

export interface CardData extends Record<string, unknown> {
  /** What the card says of its node, not the node: a changed parameter that the card does not show is no change of it. */
  readonly title: string;
  readonly type: string;
  readonly entry: CatalogEntry | undefined;
  readonly ports: Ports;
  /** Types of the outputs as they flow, by name. */
  readonly types: Readonly<Record<string, string>>;
  readonly issues: readonly Issue[];
  readonly run: NodeRun | undefined;
  readonly canEdit: boolean;
}

export type CardNode = Node<CardData, "card">;

export const NodeCard = memo(function NodeCard({ id, data, selected }: NodeProps<CardNode>) {
  const { title, type, entry, ports, issues, run } = data;
  const store = useStore();
  const words = useWords();
  const card = useRef<HTMLDivElement>(null);
  const { isFar, isLifted, ...watch } = useLift(id, selected === true);
  const isOutline = useEditorState((each) => each.isOverview) && !isLifted;
  const state = run?.state ?? "idle";
  const issueText = words("issueCount", { count: issues.length });
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target === event.currentTarget && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      selectNodes(store, [id]);
    }
  };
  return (
    <div
      ref={card}
      className={[
        "node",
        ...(selected === true ? ["is-sel"] : []),
        ...(isLifted ? ["is-lifted"] : []),
        ...(isOutline ? ["is-outline"] : []),
      ].join(" ")}
      style={isOutline ? { blockSize: nodeHeight(ports) } : undefined}
      data-svc-node={id}
      data-type={type}
      data-state={state}
      data-category={entry?.category ?? "unknown"}
      role="group"
      tabIndex={0}
      aria-label={[
        `${words("node")} ${title}, ${type}`,
        ...(run === undefined ? [] : [words(state)]),
        ...(issues.length === 0 ? [] : [issueText]),
      ].join(", ")}
      onKeyDown={onKeyDown}
      {...watch}
    >
      {isLifted && <Lens id={id} card={card} />}
      {isOutline ? (
        <Outline data={data} />
      ) : (
        <Face id={id} data={data} issueText={issueText} isTarget={!isFar || isLifted} />
      )}
    </div>
  );
});

/** A card that is too small to be read: its category, its name in large letters, and a mark of its state or of its issues. */
function Outline({ data: { title, entry, issues, run } }: { readonly data: CardData }) {
  const mark = issues[0]?.severity;
  return (
    <>
      <i
        className="tile"
        data-category={entry?.category ?? "unknown"}
        ref={(element) => {
          colorTile(element, entry);
        }}
      />
      <b>{title}</b>
      {mark !== undefined && (
        <span className={mark === "error" ? "mark-s bad" : "mark-s warn"}>
          <Icon name={mark} size={28} />
        </span>
      )}
      {mark === undefined && run !== undefined && (
        <span className="mark-s pill" data-s={run.state}>
          <StateIcon state={run.state} />
        </span>
      )}
    </>
  );
}

interface FaceProps {
  readonly id: string;
  readonly data: CardData;
  readonly issueText: string;
  readonly isTarget: boolean;
}

function Face({ id, data, issueText, isTarget }: FaceProps) {
  const { title, type, entry, ports, issues, run } = data;
  const words = useWords();
  const update = useUpdateNodeInternals();
  const names = [...ports.inputs, ...ports.outputs].map(({ name }) => name).join("\n");
  const known = useRef(names);
  useEffect(() => {
    // Not when it appears: the canvas then measures all cards together, and each call here costs as much as all of them.
    if (known.current !== names) {
      known.current = names;
      update(id);
    }
  }, [id, names, update]);
  const state = run?.state ?? "idle";
  const iterations = run?.total ?? null;
  return (
    <>
      <Badges issues={issues} iterations={iterations} text={issueText} />
      <div className="node-h">
        <Tile entry={entry} />
        <span className="grow">
          <b className="cut">{title}</b>
          <small className="cut" dir="ltr">
            {type}
          </small>
        </span>
      </div>
      {names !== "" && (
        <div className="node-p">
          {ports.inputs.map((port) => (
            <PortRow
              key={`in:${port.name}`}
              id={id}
              port={port}
              side="in"
              type={port.type}
              title={title}
              isTarget={isTarget}
            />
          ))}
          {ports.outputs.map((port) => (
            <PortRow
              key={`out:${port.name}`}
              id={id}
              port={port}
              side="out"
              type={data.types[port.name] ?? port.type}
              title={title}
              isTarget={isTarget}
            />
          ))}
        </div>
      )}
      {state === "running" && (
        <span className="bar">
          <i
            ref={(element) => element?.style.setProperty("inline-size", `${String(share(run))}%`)}
          />
        </span>
      )}
      <div className="node-f">
        <span className="pill" data-s={state}>
          <StateIcon state={state} />
          {words(state)}
        </span>
        {iterations !== null && iterations > 1 && (
          <span className="num">
            {words("ofTotal", { done: run?.settled ?? 0, total: iterations })}
          </span>
        )}
      </div>
    </>
  );
}

/**
 * Whether the card is lifted out of a canvas that is far away: the only selected one, or the one below the pointer while a wire
 * is drawn; and the one with the focus of the keyboard. It then has the size of 100 %, so that its handles can be hit.
 */
function useLift(id: string, selected: boolean) {
  const [hasFocus, setFocus] = useState(false);
  const [isUnder, setUnder] = useState(false);
  const view = useEditorState(({ isFar, picked, selection }) =>
    !isFar
      ? "near"
      : picked !== null
        ? picked.node === id
          ? "begins"
          : "connects"
        : selection.size === 1
          ? "one"
          : "far",
  );
  const isFar = view !== "near";
  return {
    isFar,
    // A wire is drawn between cards: the one that it begins at must not cover those around it.
    isLifted: isFar && (hasFocus || (view === "connects" ? isUnder : view === "one" && selected)),
    onFocus: (event: FocusEvent<HTMLDivElement>) => {
      // Of the keyboard: a press of the pointer moves the focus too.
      setFocus(event.target.matches(":focus-visible"));
    },
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent<HTMLDivElement>) => {
      // From the card to its handle: that would lose its tab stop before it has the focus.
      if (!currentTarget.contains(relatedTarget)) {
        setFocus(false);
      }
    },
    onPointerEnter: () => {
      setUnder(true);
    },
    onPointerLeave: () => {
      setUnder(false);
    },
  };
}

/** Draws its card at 100 %, whatever the zoom, with the wires at its handles. */
function Lens({
  id,
  card,
}: {
  readonly id: string;
  readonly card: RefObject<HTMLDivElement | null>;
}) {
  const zoom = useFlowStore(({ transform }) => transform[2]);
  const update = useUpdateNodeInternals();
  // Before the card is painted, which would be seen at the wrong size.
  useLayoutEffect(() => {
    const element = card.current;
    element?.style.setProperty("scale", String(1 / zoom));
    update(id);
    return () => {
      element?.style.removeProperty("scale");
      update(id);
    };
  }, [id, card, zoom, update]);
  return null;
}

function Badges({
  issues,
  iterations,
  text,
}: {
  readonly issues: readonly Issue[];
  readonly iterations: number | null;
  readonly text: string;
}) {
  const words = useWords();
  const hasError = issues.some(({ severity }) => severity === "error");
  return (
    <div className="badges">
      {iterations !== null && iterations > 1 && (
        <span className="badge" data-svc-iterations={iterations}>
          <Icon name="repeat" size={10} />
          <span aria-hidden="true">{iterations}</span>
          <span className="sr">{words("iterations", { count: iterations })}</span>
        </span>
      )}
      {issues.length > 0 && (
        <span className={hasError ? "badge bad" : "badge warn"}>
          <Icon name={hasError ? "error" : "warning"} size={10} />
          {text}
        </span>
      )}
    </div>
  );
}

/** A node without iterations shows that it works, not how far it is. */
function share(run: NodeRun | undefined): number {
  return run === undefined || run.total === null || run.total <= 1
    ? 40
    : Math.max(4, Math.round((run.settled / run.total) * 100));
}
