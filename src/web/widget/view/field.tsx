/** One field: label, control, help and error. */
import type { TargetedInputEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type FieldConfig, kindOf, optionsOf } from "../core/config.ts";
import type { FieldState } from "../core/state.ts";
import type { Problem } from "../core/values.ts";
import { ChoiceField } from "./choice-field.tsx";
import { hookOf, useView } from "./context.ts";
import type { ControlProps } from "./control-props.ts";
import { FileField } from "./file-field.tsx";
import { AlertIcon, LockIcon } from "./icons.tsx";
import type { Language } from "../core/locale.ts";

interface FieldProps {
  readonly field: FieldConfig;
  readonly state: FieldState;
  readonly index: number;
  readonly isLocked: boolean;
  readonly isRunning: boolean;
  /** Which word the labels show: the rarer one. */
  readonly shownWord: "required" | "optional";
  /** In layouts without room, choices are selects. */
  readonly isTight: boolean;
}

export function FieldView({
  field,
  state,
  index,
  isLocked,
  isRunning,
  shownWord,
  isTight,
}: FieldProps) {
  const { widget, language } = useView();
  const id = `f${String(index)}`;
  const kind = kindOf(field);
  const ref = useRef<HTMLDivElement>(null);
  const focus = widget.store.state.focus;
  const asked = focus?.key === field.key ? focus.request : 0;
  useEffect(() => {
    if (asked > 0) {
      ref.current
        ?.querySelector<HTMLElement>("input:not([disabled]), select, textarea, button")
        ?.focus();
    }
  }, [asked]);

  const help = field.description === "" ? rangeOf(field, language) : field.description;
  const isCheck = kind === "boolean";
  const describedBy =
    state.problem !== null ? `${id}-error` : help === "" ? undefined : `${id}-help`;
  const props: ControlProps = { field, state, id, describedBy, isReadOnly: isLocked || isRunning };
  const isGroup = kind === "choice" && isGroupOf(field, isTight);
  const words = (
    <>
      <bdi>{field.label}</bdi>
      <LabelWord field={field} isLocked={isLocked} shownWord={shownWord} />
    </>
  );
  const notes = (
    <>
      {state.problem !== null ? (
        <p class="err" role="alert" id={`${id}-error`}>
          <AlertIcon size={14} />
          <span>{problemText(field, state.problem, language)}</span>
        </p>
      ) : (
        help !== "" && (
          <p class="help" id={`${id}-help`}>
            <bdi>{help}</bdi>
          </p>
        )
      )}
    </>
  );
  return (
    <div {...hookOf("field", field.key, "field")} ref={ref} data-kind={kind}>
      {isGroup ? (
        <fieldset class="group" aria-describedby={describedBy}>
          <legend class="label">{words}</legend>
          <ChoiceField {...props} isTight={isTight} />
        </fieldset>
      ) : isCheck ? (
        <label class="check">
          <input
            type="checkbox"
            id={id}
            checked={state.value === true}
            disabled={props.isReadOnly}
            aria-describedby={describedBy}
            onChange={(event) => {
              widget.form.choose(field.key, event.currentTarget.checked);
            }}
          />
          <span class="check-text">{words}</span>
        </label>
      ) : (
        <>
          <label class="label" for={id}>
            {words}
          </label>
          <Control {...props} isTight={isTight} />
        </>
      )}
      {notes}
    </div>
  );
}

/** Up to four values are radio buttons, and values with pictures are cards; more are a select. */
function isGroupOf(field: FieldConfig, isTight: boolean): boolean {
  const options = optionsOf(field);
  const hasPictures = options.some(({ thumbnail }) => typeof thumbnail === "string");
  return (
    options.length > 0 &&
    ((field.type === "enum" && options.length <= 4) || (hasPictures && !isTight))
  );
}

function Control(props: ControlProps & { readonly isTight: boolean }) {
  switch (kindOf(props.field)) {
    case "choice":
      return <ChoiceField {...props} />;
    case "file":
      return <FileField {...props} />;
    case "json":
      return <TextControl {...props} isMultiline />;
    default:
      return (
        <TextControl {...props} isMultiline={props.field.multiline === true && !props.isTight} />
      );
  }
}

function TextControl({
  field,
  state,
  id,
  describedBy,
  isReadOnly,
  isMultiline,
}: ControlProps & { readonly isMultiline: boolean }) {
  const { widget } = useView();
  const kind = kindOf(field);
  const common = {
    id,
    value: state.draft ?? textOf(state, kind),
    readOnly: isReadOnly,
    dir: kind === "text" ? ("auto" as const) : ("ltr" as const),
    "aria-invalid": state.problem !== null,
    "aria-describedby": describedBy,
    "aria-required": field.required,
    onInput: (event: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      widget.form.type(field.key, event.currentTarget.value);
    },
    onBlur: () => {
      widget.form.leave(field.key);
    },
  };
  if (isMultiline) {
    return (
      <textarea
        {...common}
        class={kind === "json" ? "input mono" : "input"}
        rows={kind === "json" ? 5 : 4}
        spellcheck={kind === "json" ? false : undefined}
      />
    );
  }
  return (
    <input
      {...common}
      class={kind === "number" ? "input num" : "input"}
      type="text"
      inputMode={kind === "number" ? "decimal" : undefined}
      autocomplete="off"
      onKeyDown={(event) => {
        if (event.key === "Enter" && !event.isComposing) {
          event.preventDefault();
          widget.act(() => widget.runs.execute());
        } else if (kind === "number" && !isReadOnly && /^Arrow(?:Up|Down)$/.test(event.key)) {
          event.preventDefault();
          widget.form.type(field.key, stepped(field, state, event.key === "ArrowUp" ? 1 : -1));
        }
      }}
    />
  );
}

function textOf(state: FieldState, kind: string): string {
  const { value } = state;
  if (value === null) {
    return "";
  }
  if (kind === "json") {
    return JSON.stringify(value, null, 2);
  }
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** The next value in steps from the smallest one, within the bounds. */
function stepped({ constraints = {} }: FieldConfig, { value }: FieldState, by: 1 | -1): string {
  const { min, max, step = 1 } = constraints;
  const next = typeof value === "number" ? value + by * step : (min ?? 0);
  const bounded = Math.min(Math.max(next, min ?? next), max ?? next);
  return String(Number(bounded.toPrecision(12)));
}

function LabelWord({
  field,
  isLocked,
  shownWord,
}: Pick<FieldProps, "field" | "isLocked" | "shownWord">) {
  const { language } = useView();
  const { texts } = language;
  if (isLocked) {
    return (
      <span class="opt">
        <LockIcon />
        <span class="sr">{texts.locked}</span>
      </span>
    );
  }
  // A box that is not ticked is a value.
  if (kindOf(field) === "boolean") {
    return null;
  }
  const word = field.required ? "required" : "optional";
  return <span class={word === shownWord ? "opt" : "sr"}>{texts[word]}</span>;
}

function rangeOf({ type, constraints }: FieldConfig, language: Language): string {
  const { min, max } = constraints ?? {};
  return type === "number" && min !== undefined && max !== undefined
    ? `${language.number(min)} – ${language.number(max)}`
    : "";
}

function problemText(field: FieldConfig, problem: Problem, language: Language): string {
  const { problems } = language.texts;
  const { code, values = {} } = problem;
  if (code === "required") {
    const kind = kindOf(field);
    return kind === "choice"
      ? problems.requiredChoice
      : kind === "file"
        ? problems.requiredFile
        : problems.required;
  }
  if (code === "file_size") {
    const { max, size } = values;
    return language.fill(problems.file_size, {
      max: language.size(Number(max)),
      size: language.size(Number(size)),
    });
  }
  return language.fill(problems[code], values);
}
