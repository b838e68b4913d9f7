/** @jsxImportSource react */
/** The panel of the selected node, made from its catalog entry alone, and the tab of interfaces. */
import { type KeyboardEvent, useEffect, useRef } from "react";
import type { CatalogParameter } from "../../../contracts/workflows/node-type-entry.ts";
import type { JsonValue } from "../../../lib/json/exact-json.ts";
import { type GraphNode, titleOf } from "../core/graph.ts";
import type { Issue } from "../core/issues.ts";
import { controlOf, shownParameters, showText } from "../core/parameters.ts";
import { type CatalogEntry, TEMPLATE_PARAMETER } from "../core/ports.ts";
import { changeLabel, changeParameter, goTo, nameOf } from "../state/edit.ts";
import { loadTemplate } from "../state/load.ts";
import { useEditorState, useStore, useWords } from "./context.tsx";
import { HandleShape, Icon } from "./icons.tsx";
import { InterfacesTab } from "./interfaces-tab.tsx";
import { Tile } from "./tile.tsx";
import { ValueControl } from "./value-control.tsx";

const TABS = ["node", "interfaces"] as const;

export function Panel() {
  const store = useStore();
  const words = useWords();
  const tab = useEditorState((state) => state.tab);
  const selection = useEditorState((state) => state.selection);
  const graph = useEditorState((state) => state.history.present);
  const [only] = selection;
  const node = selection.size === 1 ? graph.nodes.find(({ id }) => id === only) : undefined;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      event.preventDefault();
      event.stopPropagation();
      const next = tab === "node" ? "interfaces" : "node";
      store.set({ tab: next });
      document.getElementById(`tab-${next}`)?.focus();
    }
  };
  return (
    <aside
      className={selection.size > 0 || tab === "interfaces" ? "panel has-node" : "panel"}
      data-svc-panel={node?.id ?? ""}
      aria-label={words("inspector")}
    >
      {node === undefined ? (
        <PanelHead title={words("definition")} type={store.state.workflow.name} />
      ) : (
        <NodeHead node={node} />
      )}
      <div className="tabs" role="tablist" onKeyDown={onKeyDown}>
        {TABS.map((name) => (
          <button
            key={name}
            className="tab"
            role="tab"
            id={`tab-${name}`}
            aria-selected={tab === name}
            aria-controls="panel-body"
            tabIndex={tab === name ? 0 : -1}
            onClick={() => {
              store.set({ tab: name });
            }}
          >
            {words(name === "node" ? "settings" : "interfaces")}
            {name === "interfaces" && <span className="tag num">{graph.interfaces.length}</span>}
          </button>
        ))}
      </div>
      <div
        className="panel-b"
        role="tabpanel"
        id="panel-body"
        aria-labelledby={`tab-${tab}`}
        tabIndex={-1}
      >
        {tab === "interfaces" ? (
          <InterfacesTab />
        ) : node === undefined ? (
          <div className="panel-none">
            <b>
              {selection.size > 1
                ? words("severalSelected", { count: selection.size })
                : words("selectNode")}
            </b>
            <p>{words(selection.size > 1 ? "severalSelectedHelp" : "selectNodeHelp")}</p>
          </div>
        ) : (
          <NodeSettings key={node.id} node={node} />
        )}
      </div>
    </aside>
  );
}

function PanelHead({ title, type }: { title: string; type: string }) {
  return (
    <header className="panel-h">
      <span className="grow">
        <b className="cut">{title}</b>
        <small className="cut">{type}</small>
      </span>
    </header>
  );
}

function NodeHead({ node }: { node: GraphNode }) {
  const store = useStore();
  const words = useWords();
  const entry = useEditorState((state) => state.catalog.entries.get(node.type));
  return (
    <header className="panel-h">
      <Tile entry={entry} />
      <span className="grow">
        <b className="cut">{titleOf(node, entry?.name)}</b>
        <small className="cut mono" dir="ltr">
          {node.type}
        </small>
      </span>
      <button
        className="btn btn-s btn-i btn-ghost"
        aria-label={words("close")}
        onClick={() => {
          store.set({ selection: new Set() });
        }}
      >
        <Icon name="close" />
      </button>
    </header>
  );
}

function NodeSettings({ node }: { node: GraphNode }) {
  const store = useStore();
  const words = useWords();
  const entry = useEditorState((state) => state.catalog.entries.get(node.type));
  const canEdit = useEditorState((state) => state.canEdit);
  const goal = useEditorState((state) => state.goal);
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (goal.node !== node.id || goal.parameter === null) {
      return;
    }
    const field = body.current?.querySelector<HTMLElement>(
      `[data-svc-parameter="${CSS.escape(goal.parameter)}"]`,
    );
    field?.closest("details")?.setAttribute("open", "");
    field?.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
  }, [goal, node.id]);
  return (
    <div
      className="stack"
      ref={body}
      onBlur={() => {
        store.endBurst();
      }}
    >
      {entry !== undefined && <p className="help">{entry.description}</p>}
      <div className="field">
        <label className="label" htmlFor="node-label">
          {words("label")}
        </label>
        <input
          id="node-label"
          className="input input-s"
          type="text"
          value={node.label ?? ""}
          placeholder={entry?.name ?? ""}
          maxLength={200}
          disabled={!canEdit}
          onChange={(event) => {
            changeLabel(store, node.id, event.currentTarget.value);
          }}
        />
      </div>
      {entry === undefined ? (
        <p className="note bad">{words("unknownType", { type: node.type })}</p>
      ) : (
        <Parameters node={node} entry={entry} canEdit={canEdit} />
      )}
      <NodePorts id={node.id} />
    </div>
  );
}

function Parameters({
  node,
  entry,
  canEdit,
}: {
  node: GraphNode;
  entry: CatalogEntry;
  canEdit: boolean;
}) {
  const words = useWords();
  const { basic, advanced, hidden } = shownParameters(entry, node.parameters);
  const show = (parameter: CatalogParameter) => (
    <Parameter
      key={parameter.name}
      node={node}
      entry={entry}
      parameter={parameter}
      canEdit={canEdit}
    />
  );
  return (
    <>
      {basic.map(show)}
      {advanced.length > 0 && (
        <details className="fold">
          <summary>
            <Icon name="chevron" size={14} flip />
            {words("advanced")}
            <span className="muted num">{advanced.length}</span>
          </summary>
          <div className="stack">{advanced.map(show)}</div>
        </details>
      )}
      {hidden.length > 0 && (
        <div className="field">
          <span className="label">{words("managed")}</span>
          {hidden.map(({ name, label }) => (
            <div className="managed" key={name} data-svc-parameter={name}>
              <span>{label}</span>
              <code className="cut">{showText(node.parameters[name])}</code>
            </div>
          ))}
        </div>
      )}
    </>
  );
}

interface ParameterProps {
  readonly node: GraphNode;
  readonly entry: CatalogEntry;
  readonly parameter: CatalogParameter;
  readonly canEdit: boolean;
}

function Parameter({ node, entry, parameter, canEdit }: ParameterProps) {
  const store = useStore();
  const words = useWords();
  const { name, label, description } = parameter;
  const allIssues = useEditorState((state) => state.issues);
  const issues = allIssues.filter((issue) => issue.node === node.id && issue.parameter === name);
  const id = `parameter-${name}`;
  const control = controlOf(parameter, (entry.capabilities ?? []).length > 0);
  const isGroup =
    control.kind === "boolean" || control.kind === "rows" || control.kind === "object";
  const change = (value: JsonValue | undefined) => {
    if (name === TEMPLATE_PARAMETER && typeof value === "string") {
      // Its fields are ports; they are there before the wires are judged.
      void loadTemplate(store, value).then(() => {
        changeParameter(store, node.id, name, value, null);
      });
      return;
    }
    changeParameter(store, node.id, name, value, `parameter ${node.id} ${name}`);
  };
  const described = [
    ...(description === undefined ? [] : [`${id}-help`]),
    ...(issues.length === 0 ? [] : [`${id}-issues`]),
  ].join(" ");
  const isSet = Object.hasOwn(node.parameters, name);
  return (
    <div className="field" data-svc-parameter={name}>
      {control.kind !== "boolean" && (
        <span className="label">
          {isGroup ? <span>{label}</span> : <label htmlFor={id}>{label}</label>}
          {parameter.required ? (
            <span className="opt">{words("required")}</span>
          ) : (
            isSet &&
            canEdit && (
              <button
                type="button"
                className="link opt"
                onClick={() => {
                  change(undefined);
                }}
              >
                {words("clear")}
              </button>
            )
          )}
        </span>
      )}
      <ValueControl
        control={control}
        value={node.parameters[name]}
        // The catalog was parsed from JSON.
        byDefault={parameter.value_schema["default"] as JsonValue | undefined}
        label={label}
        id={id}
        describedBy={described === "" ? undefined : described}
        isInvalid={issues.some(({ severity }) => severity === "error")}
        isDisabled={!canEdit}
        nodeType={node.type}
        onChange={change}
      />
      {description !== undefined && (
        <span className="help" id={`${id}-help`}>
          {description}
        </span>
      )}
      {issues.length > 0 && (
        <ul className="errs" id={`${id}-issues`}>
          {issues.map((issue) => (
            <IssueLine key={issue.path + issue.message} issue={issue} />
          ))}
        </ul>
      )}
    </div>
  );
}

function IssueLine({ issue }: { issue: Issue }) {
  return (
    <li className={issue.severity === "error" ? "err" : "err warn"}>
      <Icon name={issue.severity} size={14} />
      <span>
        {issue.message} {issue.suggestion}
      </span>
    </li>
  );
}

/** The inputs of a node with their sources, as links. */
function NodePorts({ id }: { id: string }) {
  const store = useStore();
  const words = useWords();
  useEditorState((state) => state.history);
  useEditorState((state) => state.catalog);
  const ports = store.ports();
  const { inputs } = ports.of(id);
  if (inputs.length === 0) {
    return null;
  }
  return (
    <div className="field">
      <span className="label">{words("inputs")}</span>
      <ul className="ins">
        {inputs.map((port) => {
          const sources = ports.sources({ node: id, port: port.name });
          return (
            <li key={port.name} data-port={port.type}>
              <HandleShape type={port.type} />
              <code className="cut">{port.name}</code>
              {sources.length === 0 ? (
                <span className="muted">
                  {words(port.isRequired ? "required" : "notConnected")}
                </span>
              ) : (
                <span className="muted cut">
                  {words("from")}{" "}
                  {sources.map(({ node }, at) => (
                    <button
                      // The order of connections is their identity.
                      // oxlint-disable-next-line react/no-array-index-key
                      key={`${node} ${String(at)}`}
                      type="button"
                      className="link"
                      onClick={() => {
                        goTo(store, node, null);
                      }}
                    >
                      {nameOf(store, node)}
                    </button>
                  ))}
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
