/** @jsxImportSource react */
/** The control of a value, made from its schema: one for each parameter, member of an object, and cell of a row. */
import { type ReactNode, useEffect, useId, useState } from "react";
import { isJsonObject, type JsonValue } from "../../../lib/json/exact-json.ts";
import {
  type Control,
  controlOfSchema,
  newRow,
  readNumber,
  showText,
  withMember,
} from "../core/parameters.ts";
import { CodeControl, ModelControl, TemplateControl } from "./catalog-control.tsx";
import { useWords } from "./context.tsx";
import { Icon } from "./icons.tsx";
import { JsonControl } from "./json-control.tsx";
import { Select } from "./select.tsx";
import { attributesOf, type ValueProps } from "./value-props.ts";

/** Up to this many options are a row of buttons. */
const SEGMENTS_MAX = 4;

export function ValueControl(props: ValueProps) {
  switch (props.control.kind) {
    case "text":
      return (
        <TextControl {...props} isLong={props.control.isLong} maxLength={props.control.maxLength} />
      );
    case "number":
      return (
        <NumberControl
          {...props}
          min={props.control.min}
          max={props.control.max}
          isInteger={props.control.isInteger}
        />
      );
    case "boolean":
      return <BooleanControl {...props} />;
    case "enum":
      return <EnumControl {...props} options={props.control.options} />;
    case "preset":
      return (
        <CodeControl
          {...props}
          path={`/presets?category=${encodeURIComponent(props.control.category)}`}
          code="code"
          name="name"
        />
      );
    case "effect":
      return <CodeControl {...props} path="/effects" code="code" name="name" />;
    case "model":
      return <ModelControl {...props} />;
    case "template":
      return <TemplateControl {...props} />;
    case "rows":
      return <RowsControl {...props} item={props.control.item} max={props.control.max} />;
    case "object":
      return <ObjectControl {...props} members={props.control.members} />;
    case "json":
      return <JsonControl {...props} />;
  }
}

function TextControl(props: ValueProps & { isLong: boolean; maxLength: number | undefined }) {
  const { value, byDefault, isLong, maxLength, onChange } = props;
  const shared = {
    ...attributesOf(props),
    className: "input input-s",
    value: showText(value),
    placeholder: showText(byDefault),
    ...(maxLength !== undefined && { maxLength }),
  };
  const take = (text: string) => {
    onChange(text === "" ? undefined : text);
  };
  return isLong ? (
    <textarea
      {...shared}
      rows={3}
      onChange={(event) => {
        take(event.currentTarget.value);
      }}
    />
  ) : (
    <input
      {...shared}
      type="text"
      onChange={(event) => {
        take(event.currentTarget.value);
      }}
    />
  );
}

function NumberControl(
  props: ValueProps & { min: number | undefined; max: number | undefined; isInteger: boolean },
) {
  const { value, byDefault, min, max, isInteger, onChange } = props;
  const words = useWords();
  const shown = showText(value);
  const [text, setText] = useState(shown);
  const [isWrong, setWrong] = useState(false);
  useEffect(() => {
    // Changed from outside: undo, paste. What is typed at the moment stays.
    setText((before) => (showText(readNumber(before)) === shown ? before : shown));
    setWrong(false);
  }, [shown]);
  return (
    <>
      <input
        {...attributesOf(props)}
        className="input input-s"
        type="text"
        inputMode={isInteger ? "numeric" : "decimal"}
        value={text}
        placeholder={showText(byDefault)}
        aria-invalid={isWrong || props.isInvalid}
        role="spinbutton"
        aria-valuenow={Number(shown) || 0}
        aria-valuetext={shown}
        {...(min !== undefined && { "aria-valuemin": min })}
        {...(max !== undefined && { "aria-valuemax": max })}
        onChange={(event) => {
          const typed = event.currentTarget.value;
          setText(typed);
          const number = readNumber(typed);
          setWrong(typed !== "" && number === undefined);
          if (typed === "" || number !== undefined) {
            onChange(number);
          }
        }}
        onKeyDown={(event) => {
          const step = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
          const number = Number(text === "" ? showText(byDefault) : text);
          if (step !== 0 && Number.isFinite(number)) {
            event.preventDefault();
            const next = Math.min(Math.max(number + step, min ?? -Infinity), max ?? Infinity);
            setText(String(next));
            onChange(next);
          }
        }}
      />
      {isWrong && <span className="err">{words("notANumber")}</span>}
    </>
  );
}

function BooleanControl(props: ValueProps) {
  const { value, byDefault, label, onChange } = props;
  return (
    <label className="check">
      <input
        {...attributesOf(props)}
        type="checkbox"
        checked={(value ?? byDefault) === true}
        onChange={(event) => {
          onChange(event.currentTarget.checked);
        }}
      />
      <span>{label}</span>
    </label>
  );
}

function EnumControl(props: ValueProps & { options: readonly JsonValue[] }) {
  const { value, byDefault, options, label, id, isDisabled, describedBy, onChange } = props;
  const words = useWords();
  const group = useId();
  const chosen = value ?? byDefault;
  if (options.length <= SEGMENTS_MAX && options.every((option) => showText(option).length <= 9)) {
    return (
      <div
        className="seg"
        role="radiogroup"
        aria-label={label}
        aria-describedby={describedBy}
        id={id}
      >
        {options.map((option) => (
          <label key={showText(option)}>
            <input
              type="radio"
              name={group}
              value={showText(option)}
              checked={option === chosen}
              disabled={isDisabled}
              onChange={() => {
                onChange(option);
              }}
            />
            <i>{showText(option)}</i>
          </label>
        ))}
      </div>
    );
  }
  const unset =
    byDefault === undefined ? words("none") : words("byDefault", { value: showText(byDefault) });
  return (
    <Select
      {...attributesOf(props)}
      value={value === undefined ? "" : showText(value)}
      unset={unset}
      options={options.map((option) => ({ value: showText(option), name: showText(option) }))}
      onChange={(text) => {
        onChange(options.find((option) => showText(option) === text));
      }}
    />
  );
}

/** The editable rows of an array. */
function RowsControl(props: ValueProps & { item: Readonly<Record<string, unknown>>; max: number }) {
  const { value, byDefault, item, max, label, id, isDisabled, onChange, nodeType } = props;
  const words = useWords();
  const given = value ?? byDefault;
  const rows: readonly JsonValue[] = Array.isArray(given) ? (given as readonly JsonValue[]) : [];
  const control = controlOfSchema(item);
  return (
    <div className="rows" role="group" aria-label={label} id={id}>
      {rows.map((row, at) => {
        const name = `${label}, ${words("row", { n: at + 1 })}`;
        return (
          // Rows have no identity of their own: their place is it.
          // oxlint-disable-next-line react/no-array-index-key
          <div className="row-e" key={at}>
            <div className="grow">
              <ValueControl
                control={control}
                value={row}
                byDefault={undefined}
                label={name}
                id={`${id}-${String(at)}`}
                describedBy={undefined}
                isInvalid={false}
                isDisabled={isDisabled}
                nodeType={nodeType}
                onChange={(next) => {
                  onChange(rows.with(at, next ?? newRow(item)));
                }}
              />
            </div>
            <button
              type="button"
              className="btn btn-s btn-i btn-ghost"
              aria-label={words("removeRow", { n: at + 1 })}
              disabled={isDisabled}
              onClick={() => {
                onChange(rows.toSpliced(at, 1));
              }}
            >
              <Icon name="close" size={14} />
            </button>
          </div>
        );
      })}
      <button
        type="button"
        className="btn btn-s"
        disabled={isDisabled || rows.length >= max}
        onClick={() => {
          onChange([...rows, newRow(item)]);
        }}
      >
        <Icon name="plus" size={14} />
        {words("addRow")}
      </button>
    </div>
  );
}

/** Unset members beyond this number are behind a fold. */
const OPEN_MEMBERS = 4;

function ObjectControl(
  props: ValueProps & { members: Extract<Control, { kind: "object" }>["members"] },
) {
  const { value, byDefault, members, label, id, isDisabled, onChange, nodeType } = props;
  const words = useWords();
  const given = value ?? byDefault;
  const object = isJsonObject(given ?? null)
    ? (given as { readonly [key: string]: JsonValue })
    : {};
  const [open, folded] = [
    members.filter(
      ({ name, isRequired }, at) => isRequired || at < OPEN_MEMBERS || Object.hasOwn(object, name),
    ),
    members.filter(
      ({ name, isRequired }, at) =>
        !isRequired && at >= OPEN_MEMBERS && !Object.hasOwn(object, name),
    ),
  ];
  const show = ({ name, schema }: (typeof members)[number]): ReactNode => {
    const control = controlOfSchema(schema);
    const memberId = `${id}-${name}`;
    const title = typeof schema["title"] === "string" ? schema["title"] : name;
    return (
      <div className="field" key={name}>
        {control.kind !== "boolean" && (
          <label className="label mono" htmlFor={memberId}>
            {title}
          </label>
        )}
        <ValueControl
          control={control}
          value={object[name]}
          // The catalog was parsed from JSON.
          byDefault={schema["default"] as JsonValue | undefined}
          label={title}
          id={memberId}
          describedBy={undefined}
          isInvalid={false}
          isDisabled={isDisabled}
          nodeType={nodeType}
          onChange={(next) => {
            onChange(withMember(object, name, next));
          }}
        />
      </div>
    );
  };
  return (
    <div className="members" role="group" aria-label={label} id={id}>
      {open.map(show)}
      {folded.length > 0 && (
        <details>
          <summary>{words("advanced")}</summary>
          <div className="members">{folded.map(show)}</div>
        </details>
      )}
    </div>
  );
}
