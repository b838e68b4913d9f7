/** @jsxImportSource react */
/** The same document as a list: each node with its inputs as selects, edited without the canvas. */
import { memo } from "react";
import { sourcesFor } from "../core/connect.ts";
import { type End, type GraphNode, titleOf } from "../core/graph.ts";
import { chooseSource, deleteSelected, nameOf, selectNodes } from "../state/edit.ts";
import { useEditorState, useStore, useWords } from "./context.tsx";
import { HandleShape, Icon, StateIcon } from "./icons.tsx";
import { Tile } from "./tile.tsx";
import { Select } from "./select.tsx";

export function ListView() {
  const words = useWords();
  const graph = useEditorState((state) => state.history.present);
  return (
    <div className="list" data-svc-list="" role="region" aria-label={words("listView")}>
      {graph.nodes.length === 0 ? (
        <div className="empty">
          <Icon name="list" size={24} />
          <b>{words("listEmpty")}</b>
          <p>{words("emptyHelpList")}</p>
        </div>
      ) : (
        <ul>
          {graph.nodes.map((node) => (
            <ListNode key={node.id} node={node} />
          ))}
        </ul>
      )}
    </div>
  );
}

const ListNode = memo(function ListNode({ node }: { node: GraphNode }) {
  const store = useStore();
  const words = useWords();
  const entry = useEditorState((state) => state.catalog.entries.get(node.type));
  const isSelected = useEditorState((state) => state.selection.has(node.id));
  const state = useEditorState(({ run }) => run?.nodes.get(node.id)?.state ?? "idle");
  const canEdit = useEditorState((each) => each.canEdit);
  const issues = useEditorState((each) => each.issues);
  useEditorState((each) => each.history);
  const ports = store.ports();
  const { inputs, outputs } = ports.of(node.id);
  const title = titleOf(node, entry?.name);
  const count = issues.filter((issue) => issue.node === node.id).length;
  return (
    <li
      className={isSelected ? "ln is-sel" : "ln"}
      data-svc-list-node={node.id}
      data-type={node.type}
      data-state={state}
    >
      <div className="ln-h">
        <button
          className="ln-t"
          aria-pressed={isSelected}
          onClick={() => {
            selectNodes(store, isSelected ? [] : [node.id]);
          }}
        >
          <Tile entry={entry} />
          <span className="grow">
            <b className="cut">{title}</b>
            <small className="cut mono" dir="ltr">
              {node.type}
            </small>
          </span>
        </button>
        {count > 0 && <span className="badge bad static">{words("issueCount", { count })}</span>}
        {state !== "idle" && (
          <span className="pill" data-s={state}>
            <StateIcon state={state} />
            {words(state)}
          </span>
        )}
        {canEdit && (
          <button
            className="btn btn-s btn-i btn-ghost"
            aria-label={`${words("remove")}: ${title}`}
            onClick={() => {
              selectNodes(store, [node.id]);
              deleteSelected(store);
            }}
          >
            <Icon name="remove" />
          </button>
        )}
      </div>
      {inputs.map((port) => (
        <ListInput
          key={port.name}
          to={{ node: node.id, port: port.name }}
          type={port.type}
          label={port.label}
          isRequired={port.isRequired}
          isMulti={port.isMulti}
          canEdit={canEdit}
        />
      ))}
      {outputs.length > 0 && (
        <p className="ln-o">
          <span className="muted">{words("outputs")}</span>
          {outputs.map(({ name }) => {
            const type = ports.typeOf({ node: node.id, port: name });
            return (
              <span key={name} className="ln-p" data-port={type}>
                <HandleShape type={type} />
                <code>{name}</code>
              </span>
            );
          })}
        </p>
      )}
    </li>
  );
});

interface ListInputProps {
  readonly to: End;
  readonly type: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly isMulti: boolean;
  readonly canEdit: boolean;
}

/** One select for each connection; an input that takes several has an empty one for the next. */
function ListInput({ to, type, label, isRequired, isMulti, canEdit }: ListInputProps) {
  const store = useStore();
  const words = useWords();
  const wires = store.graph.wires.filter(
    (wire) => wire.to.node === to.node && wire.to.port === to.port,
  );
  const offered = sourcesFor(store.state.catalog, store.graph, to);
  const options = offered.map((source) => ({
    value: `${source.node}:${source.port}`,
    name: `${nameOf(store, source.node)}: ${source.port} (${source.type})`,
  }));
  const rows = isMulti || wires.length === 0 ? [...wires, undefined] : wires;
  const choose = (chosen: string, wire: string | undefined) => {
    const from = offered.find((source) => `${source.node}:${source.port}` === chosen);
    if (from !== undefined) {
      chooseSource(store, to, { node: from.node, port: from.port }, wire);
    } else if (chosen === "") {
      chooseSource(store, to, null, wire);
    }
  };
  return (
    <div className="ln-i" data-port={type}>
      <HandleShape type={type} />
      <span className="ln-l">
        {label}
        {isRequired && <span className="req">*</span>}
      </span>
      <div className="ln-s">
        {rows.map((wire, at) => (
          <Select
            key={wire?.id ?? "next"}
            data-svc-list-input={`${to.node}:${to.port}`}
            aria-label={[
              `${words("input")} ${label}`,
              nameOf(store, to.node),
              ...(isMulti ? [String(at + 1)] : []),
              ...(isRequired ? [words("required")] : []),
            ].join(", ")}
            disabled={!canEdit}
            value={wire === undefined ? "" : `${wire.from.node}:${wire.from.port}`}
            unset={words("notConnected")}
            options={options}
            onChange={(chosen) => {
              choose(chosen, wire?.id);
            }}
          />
        ))}
      </div>
    </div>
  );
}
