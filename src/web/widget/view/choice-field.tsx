/** Choices: a segment control up to four values, cards where there are pictures, otherwise a select. */
import { useRef } from "preact/hooks";
import { optionsOf } from "../core/config.ts";
import { useView } from "./context.ts";
import type { ControlProps } from "./control-props.ts";

export function ChoiceField(props: ControlProps & { readonly isTight: boolean }) {
  const { field, isTight } = props;
  const options = optionsOf(field);
  const hasPictures = options.some(({ thumbnail }) => typeof thumbnail === "string");
  if (hasPictures && !isTight) {
    return <Cards {...props} />;
  }
  if (field.type === "enum" && options.length > 0 && options.length <= 4) {
    return <Segments {...props} />;
  }
  return <Select {...props} />;
}

function Select({ field, state, id, describedBy, isReadOnly }: ControlProps) {
  const { widget, language } = useView();
  const { texts } = language;
  const isOptional = !field.required;
  return (
    <select
      class="input"
      id={id}
      disabled={isReadOnly}
      value={typeof state.value === "string" ? state.value : ""}
      aria-invalid={state.problem !== null}
      aria-describedby={describedBy}
      aria-required={field.required}
      onChange={(event) => {
        const { value } = event.currentTarget;
        widget.form.choose(field.key, value === "" ? null : value);
      }}
      onBlur={() => {
        widget.form.leave(field.key);
      }}
    >
      {(isOptional || state.value === null) && (
        <option value="">{isOptional && state.value !== null ? texts.none : texts.choose}</option>
      )}
      {optionsOf(field).map(({ code, name }) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Radio buttons with a look of their own. */
function useRadios({ field, state, id, isReadOnly }: ControlProps) {
  const { widget } = useView();
  return (code: string) => ({
    type: "radio" as const,
    name: id,
    value: code,
    checked: state.value === code,
    disabled: isReadOnly,
    onChange: () => {
      widget.form.choose(field.key, code);
    },
  });
}

function Segments(props: ControlProps) {
  const radio = useRadios(props);
  return (
    <Clearable {...props}>
      <div class={props.state.problem === null ? "seg" : "seg is-wrong"}>
        {optionsOf(props.field).map(({ code, name }) => (
          <label key={code}>
            <input {...radio(code)} />
            <i>
              <bdi>{name}</bdi>
            </i>
          </label>
        ))}
      </div>
    </Clearable>
  );
}

function Cards(props: ControlProps) {
  const radio = useRadios(props);
  const options = optionsOf(props.field);
  return (
    <Clearable {...props}>
      <div
        class={options.length > 12 ? "picks is-many" : "picks"}
        tabIndex={options.length > 12 ? 0 : undefined}
      >
        {options.map(({ code, name, thumbnail }) => (
          <label class="pick" key={code}>
            <input {...radio(code)} />
            <span class="pick-b">
              {typeof thumbnail === "string" ? (
                <img class="pic" src={thumbnail} alt="" width="400" height="300" loading="lazy" />
              ) : (
                <span class="pic is-blank" />
              )}
              <span>
                <bdi>{name}</bdi>
              </span>
            </span>
          </label>
        ))}
      </div>
    </Clearable>
  );
}

/** Radio buttons cannot be taken back; a small button clears an optional choice. */
function Clearable({
  field,
  state,
  isReadOnly,
  children,
}: ControlProps & { readonly children: preact.ComponentChildren }) {
  const { widget, language } = useView();
  const ref = useRef<HTMLDivElement>(null);
  const isShown =
    field.default_value === undefined && !field.required && state.value !== null && !isReadOnly;
  return (
    <div class="clearable" ref={ref}>
      {children}
      {isShown && (
        <button
          type="button"
          class="link"
          onClick={() => {
            widget.form.choose(field.key, null);
            ref.current?.querySelector("input")?.focus();
          }}
        >
          {language.texts.none}
        </button>
      )}
    </div>
  );
}
