/** @jsxImportSource react */
/** The custom interfaces of the workflow: fields, outputs, their order, and the recommended one. */
import { useState } from "react";
import { isJsonObject, type JsonValue } from "../../../lib/json/exact-json.ts";
import { type JsonObject, titleOf } from "../core/graph.ts";
import {
  addField,
  addInterface,
  addOutput,
  changeEntry,
  changeInterface,
  fieldTargets,
  listOf,
  moveEntry,
  outputTargets,
  recommend,
  removeEntry,
  removeInterface,
  type Target,
} from "../core/interfaces.ts";
import { showText } from "../core/parameters.ts";
import { useEditorState, useStore, useWords } from "./context.tsx";
import { Icon, type IconName } from "./icons.tsx";
import { Select } from "./select.tsx";

type ListName = "fields" | "outputs";
type Change = (next: JsonObject, burst?: string | null) => void;

export function InterfacesTab() {
  const store = useStore();
  const words = useWords();
  const graph = useEditorState((state) => state.history.present);
  const catalog = useEditorState((state) => state.catalog);
  const canEdit = useEditorState((state) => state.canEdit);
  const [open, setOpen] = useState(0);
  return (
    <div
      className="stack"
      onBlur={() => {
        store.endBurst();
      }}
    >
      {graph.interfaces.length === 0 && (
        <div className="panel-none">
          <b>{words("noInterfaces")}</b>
          <p>{words("noInterfacesHelp")}</p>
        </div>
      )}
      {graph.interfaces.map((entry, index) => (
        <details
          // A new interface has no id before it is saved.
          key={String(index)}
          className="face"
          data-svc-interface={index}
          open={open === index}
          onToggle={(event) => {
            if (event.currentTarget.open) {
              setOpen(index);
            }
          }}
        >
          <summary>
            <Icon name="chevron" size={14} flip />
            <span className="cut">{showText(entry["name"])}</span>
            {entry["is_default"] === true && <span className="tag">{words("recommended")}</span>}
          </summary>
          <InterfaceForm entry={entry} index={index} canEdit={canEdit} />
        </details>
      ))}
      {canEdit && (
        <button
          type="button"
          className="btn btn-s"
          data-svc-action="add-interface"
          onClick={() => {
            setOpen(graph.interfaces.length);
            const name = `${words("interface")} ${String(graph.interfaces.length + 1)}`;
            store.change(addInterface(catalog, graph, name));
          }}
        >
          <Icon name="plus" size={14} />
          {words("addInterface")}
        </button>
      )}
    </div>
  );
}

function InterfaceForm({
  entry,
  index,
  canEdit,
}: {
  entry: JsonObject;
  index: number;
  canEdit: boolean;
}) {
  const store = useStore();
  const words = useWords();
  const change: Change = (next, burst = null) => {
    store.change(
      changeInterface(store.graph, index, () => next),
      burst,
    );
  };
  const id = `interface-${String(index)}`;
  return (
    <div className="stack face-b">
      {(["name", "description"] as const).map((member) => (
        <div className="field" key={member}>
          <label className="label" htmlFor={`${id}-${member}`}>
            {words(member === "name" ? "interfaceName" : "description")}
          </label>
          <input
            id={`${id}-${member}`}
            className="input input-s"
            type="text"
            maxLength={member === "name" ? 200 : 2_000}
            disabled={!canEdit}
            value={showText(entry[member])}
            onChange={(event) => {
              change({ ...entry, [member]: event.currentTarget.value }, `${id} ${member}`);
            }}
          />
        </div>
      ))}
      <label className="check">
        <input
          type="checkbox"
          checked={entry["is_default"] === true}
          disabled={!canEdit}
          onChange={(event) => {
            store.change(recommend(store.graph, event.currentTarget.checked ? index : null));
          }}
        />
        <span>{words("recommended")}</span>
      </label>
      <EntryList entry={entry} list="fields" id={id} canEdit={canEdit} change={change} />
      <EntryList entry={entry} list="outputs" id={id} canEdit={canEdit} change={change} />
      {canEdit && (
        <button
          type="button"
          className="btn btn-s btn-ghost bad"
          onClick={() => {
            store.change(removeInterface(store.graph, index));
          }}
        >
          <Icon name="remove" size={14} />
          {words("removeInterface")}
        </button>
      )}
    </div>
  );
}

interface ListProps {
  readonly entry: JsonObject;
  readonly list: ListName;
  readonly id: string;
  readonly canEdit: boolean;
  readonly change: Change;
}

const MEMBERS = { fields: ["label", "key", "default_value"], outputs: ["label", "key"] } as const;

function EntryList({ entry, list, id, canEdit, change }: ListProps) {
  const words = useWords();
  const entries = listOf(entry, list);
  const shared = { entry, list, id, canEdit, change };
  return (
    <div className="field" role="group" aria-label={words(list)}>
      <span className="label">
        {words(list)}
        <span className="muted num">{entries.length}</span>
      </span>
      {entries.map((field, at) => (
        // Keys may be edited; the place is the identity.
        <div className="entry" key={String(at)}>
          {MEMBERS[list].map((member) => (
            <EntryText key={member} {...shared} at={at} member={member} field={field} />
          ))}
          <div className="entry-f">
            {list === "fields" && (
              <>
                <span className="tag">{showText(field["type"])}</span>
                <label className="check">
                  <input
                    type="checkbox"
                    checked={field["required"] !== false}
                    disabled={!canEdit}
                    onChange={(event) => {
                      change(changeEntry(entry, list, at, "required", event.currentTarget.checked));
                    }}
                  />
                  <span>{words("required")}</span>
                </label>
              </>
            )}
            {canEdit && <EntryButtons {...shared} at={at} count={entries.length} />}
          </div>
        </div>
      ))}
      {canEdit && (list === "fields" ? <AddField {...shared} /> : <AddOutput {...shared} />)}
    </div>
  );
}

function keyOf({ node, parameter }: Target): string {
  return JSON.stringify([node, parameter]);
}

function AddField({ entry, change }: ListProps) {
  const words = useWords();
  const graph = useEditorState((state) => state.history.present);
  const catalog = useEditorState((state) => state.catalog);
  const bound = new Set(
    listOf(entry, "fields").map(({ bind }) => {
      const target = isJsonObject(bind ?? null) ? (bind as JsonObject) : {};
      return JSON.stringify([target["node"], target["parameter"] ?? null]);
    }),
  );
  const free = fieldTargets(catalog, graph).filter((target) => !bound.has(keyOf(target)));
  return (
    <Select
      aria-label={words("addField")}
      value=""
      unset={words("addField")}
      options={free.map((target) => ({ value: keyOf(target), name: target.label }))}
      onChange={(value) => {
        const target = free.find((each) => keyOf(each) === value);
        if (target !== undefined) {
          change(addField(entry, target));
        }
      }}
    />
  );
}

function AddOutput({ entry, change }: ListProps) {
  const words = useWords();
  const graph = useEditorState((state) => state.history.present);
  const catalog = useEditorState((state) => state.catalog);
  const named = new Set(listOf(entry, "outputs").map(({ node }) => node));
  const free = outputTargets(catalog, graph).filter((node) => !named.has(node.id));
  return (
    <Select
      aria-label={words("addOutput")}
      value=""
      unset={words("addOutput")}
      options={free.map((node) => ({
        value: node.id,
        name: titleOf(node, catalog.entries.get(node.type)?.name),
      }))}
      onChange={(value) => {
        const node = free.find((each) => each.id === value);
        if (node !== undefined) {
          change(addOutput(entry, node, catalog));
        }
      }}
    />
  );
}

interface EntryTextProps extends ListProps {
  readonly at: number;
  readonly member: "label" | "key" | "default_value";
  readonly field: JsonObject;
}

const MEMBER_WORDS = { label: "label", key: "key", default_value: "fieldDefault" } as const;
/** Types whose defaults are typed as text; others as JSON. */
const TEXT_TYPES: ReadonlySet<unknown> = new Set(["text", "enum", "preset", "effect"]);

function EntryText({ entry, list, at, member, field, id, canEdit, change }: EntryTextProps) {
  const words = useWords();
  const fieldId = `${id}-${list}-${String(at)}-${member}`;
  const isText = member === "default_value" && TEXT_TYPES.has(field["type"]);
  const value = field[member];
  return (
    <div className="entry-t">
      <label htmlFor={fieldId}>{words(MEMBER_WORDS[member])}</label>
      <input
        id={fieldId}
        className={member === "label" ? "input input-s" : "input input-s mono"}
        type="text"
        disabled={!canEdit}
        value={isText ? decoded(value) : showText(value)}
        onChange={(event) => {
          const typed = event.currentTarget.value;
          const written = isText ? JSON.stringify(typed) : typed;
          const next = typed === "" && member !== "key" ? undefined : written;
          change(changeEntry(entry, list, at, member, next), fieldId);
        }}
      />
    </div>
  );
}

/** The text of a default, which is JSON-encoded; other JSON as it is. */
function decoded(value: JsonValue | undefined): string {
  try {
    const text: unknown = JSON.parse(showText(value));
    return typeof text === "string" ? text : showText(value);
  } catch {
    return showText(value);
  }
}

function EntryButtons({
  entry,
  list,
  at,
  count,
  change,
}: ListProps & { readonly at: number; readonly count: number }) {
  const words = useWords();
  const button = (name: IconName, label: string, isDisabled: boolean, next: () => JsonObject) => (
    <button
      type="button"
      className="btn btn-s btn-i btn-ghost"
      aria-label={label}
      disabled={isDisabled}
      onClick={() => {
        change(next());
      }}
    >
      <Icon name={name} size={14} />
    </button>
  );
  return (
    <span className="entry-b">
      {button("up", words("moveUp"), at === 0, () => moveEntry(entry, list, at, -1))}
      {button("down", words("moveDown"), at === count - 1, () => moveEntry(entry, list, at, 1))}
      {button("close", words("remove"), false, () => removeEntry(entry, list, at))}
    </span>
  );
}
