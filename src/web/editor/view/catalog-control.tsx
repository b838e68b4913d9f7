/** @jsxImportSource react */
/** Controls whose options come from the service: presets, effects, templates, models. */
import { isJsonObject, type JsonValue } from "../../../lib/json/exact-json.ts";
import { useEffect, useId, useState } from "react";
import { showText } from "../core/parameters.ts";
import { useEditorState, useResource, useWords } from "./context.tsx";
import { Select } from "./select.tsx";
import { attributesOf, type ValueProps } from "./value-props.ts";

/** Codes of a list of the catalog: cards where there are pictures, else a select. */
export function CodeControl(props: ValueProps & { path: string; code: string; name: string }) {
  const { value, path, code, name, label, isDisabled, onChange } = props;
  const words = useWords();
  const group = useId();
  const entries = (useResource(path) ?? []).filter(isJsonObject);
  const chosen = typeof value === "string" ? value : "";
  const isPictured =
    entries.length > 0 && entries.every((entry) => typeof entry["thumbnail"] === "string");
  if (!isPictured) {
    return (
      <Select
        {...attributesOf(props)}
        value={chosen}
        unset={words("none")}
        options={entries.map((entry) => ({
          value: showText(entry[code]),
          name: showText(entry[name]),
        }))}
        onChange={(next) => {
          onChange(next === "" ? undefined : next);
        }}
      />
    );
  }
  return (
    <div className="picks" role="radiogroup" aria-label={label} id={props.id}>
      {[null, ...entries].map((entry) => {
        const option = entry === null ? "" : showText(entry[code]);
        return (
          <label className="pick" key={option}>
            <input
              type="radio"
              name={group}
              checked={option === chosen}
              disabled={isDisabled}
              onChange={() => {
                onChange(option === "" ? undefined : option);
              }}
            />
            <span className="pick-b">
              {entry === null ? (
                <span className="pick-none" />
              ) : (
                <img src={showText(entry["thumbnail"])} alt="" loading="lazy" />
              )}
              <span>{entry === null ? words("none") : showText(entry[name])}</span>
            </span>
          </label>
        );
      })}
    </div>
  );
}

/** A page of the list of templates, the longest that there is. */
const TEMPLATES_MAX = 100;
/** Between the last letter of a search and its request, in milliseconds. */
const SEARCH_PAUSE_MS = 250;

/** A published template: the newest in a select, and the others by a part of their name. */
export function TemplateControl(props: ValueProps) {
  const { value, label, onChange } = props;
  const words = useWords();
  const [typed, setTyped] = useState("");
  const [search, setSearch] = useState("");
  const names = useEditorState((state) => state.templateNames);
  useEffect(() => {
    const pause = setTimeout(() => {
      setSearch(typed.trim());
    }, SEARCH_PAUSE_MS);
    return () => {
      clearTimeout(pause);
    };
  }, [typed]);
  const path = `/design-templates?status=published&limit=${String(TEMPLATES_MAX)}`;
  const isCut = (useResource(path)?.length ?? 0) >= TEMPLATES_MAX;
  const named = search === "" ? "" : `&name=${encodeURIComponent(search)}`;
  const found = useResource(path + named);
  const chosen = showText(value);
  const options = (found ?? []).filter(isJsonObject).map(({ id, name }) => ({
    value: showText(id),
    name: showText(name),
  }));
  const isListed = options.some((option) => option.value === chosen);
  const isEmpty = found?.length === 0 && search !== "";
  return (
    <div className="members">
      {isCut && (
        <input
          className="input input-s"
          type="search"
          value={typed}
          maxLength={200}
          placeholder={words("searchTemplates")}
          aria-label={`${label}: ${words("searchTemplates")}`}
          disabled={props.isDisabled}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
          }}
        />
      )}
      <Select
        {...attributesOf(props)}
        value={chosen}
        unset={words("none")}
        options={
          isListed || chosen === ""
            ? options
            : [{ value: chosen, name: names.get(chosen) ?? chosen }, ...options]
        }
        onChange={(next) => {
          onChange(next === "" ? undefined : next);
        }}
      />
      {isCut && (
        <span className="help" role="status">
          {isEmpty
            ? words("noMatch")
            : search === "" && words("firstTemplates", { count: TEMPLATES_MAX })}
        </span>
      )}
    </div>
  );
}

export function ModelControl(props: ValueProps) {
  const { value, nodeType, onChange } = props;
  const words = useWords();
  const capabilities = (useResource(`/node-types/${nodeType}/models`) ?? []).filter(isJsonObject);
  const models = new Map<string, string>();
  for (const { models: listed } of capabilities) {
    for (const model of Array.isArray(listed) ? (listed as readonly JsonValue[]) : []) {
      if (isJsonObject(model)) {
        models.set(showText(model["model"]), showText(model["display_name"]));
      }
    }
  }
  const byDefault = showText(capabilities[0]?.["default_model"]);
  return (
    <Select
      {...attributesOf(props)}
      value={showText(value)}
      unset={
        byDefault === ""
          ? words("none")
          : words("byDefault", { value: models.get(byDefault) ?? byDefault })
      }
      options={[...models].map(([slug, name]) => ({ value: slug, name }))}
      onChange={(next) => {
        onChange(next === "" ? undefined : next);
      }}
    />
  );
}
