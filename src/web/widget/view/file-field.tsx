/** A file: chosen, dropped or pasted, or an address; one row in every state. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { FieldConfig } from "../core/config.ts";
import type { Language } from "../core/locale.ts";
import type { FieldState, Upload } from "../core/state.ts";
import type { MediaValue } from "../core/values.ts";
import { useView } from "./context.ts";
import type { ControlProps } from "./control-props.ts";
import { CrossIcon, FileIcon } from "./icons.tsx";

export function FileField(props: ControlProps) {
  const { field, state, isReadOnly } = props;
  const { widget } = useView();
  const [isOver, setOver] = useState(false);
  const canUpload = widget.store.state.config?.can.upload === true;
  const isAddress = (state.isAddress || !canUpload) && state.upload === null;
  // The kind of the field decides the shape of its value.
  const value = state.value as MediaValue | null;
  if (isAddress) {
    return <Address {...props} canUpload={canUpload} />;
  }
  const isWrong = state.problem !== null && state.problem.code !== "uploading";
  const isFilled = value !== null || state.upload !== null;
  const classes = ["drop", isFilled && "has", isOver && "is-over", isWrong && "is-wrong"];
  return (
    <>
      <div
        class={classes.filter(Boolean).join(" ")}
        onDragOver={(event) => {
          if (!isReadOnly && event.dataTransfer?.types.includes("Files") === true) {
            event.preventDefault();
            setOver(true);
          }
        }}
        onDragLeave={() => {
          setOver(false);
        }}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          const file = event.dataTransfer?.files[0];
          if (file !== undefined && !isReadOnly) {
            widget.addFile(field.key, file);
          }
        }}
      >
        {state.upload !== null ? (
          <Sending {...props} upload={state.upload} />
        ) : value !== null ? (
          <Chosen {...props} value={value} />
        ) : (
          <Empty {...props} />
        )}
      </div>
      {!isFilled && !isReadOnly && takesAddress(field) && <Switch field={field} to />}
    </>
  );
}

/** A data file is read by the service as it is; the other types may be addresses. */
function takesAddress(field: FieldConfig): boolean {
  return field.type !== "data";
}

function Switch({ field, to }: { readonly field: FieldConfig; readonly to: boolean }) {
  const { widget, language } = useView();
  return (
    <button
      type="button"
      class="link"
      onClick={() => {
        widget.form.showAddress(field.key, to);
      }}
    >
      {to ? language.texts.useAddress : language.texts.useFile}
    </button>
  );
}

function Address({
  field,
  state,
  id,
  describedBy,
  isReadOnly,
  canUpload,
}: ControlProps & { readonly canUpload: boolean }) {
  const { widget, language } = useView();
  const value = state.value as MediaValue | null;
  return (
    <>
      <input
        class="input"
        id={id}
        type="url"
        dir="ltr"
        readOnly={isReadOnly}
        placeholder="https://"
        value={state.draft ?? (value !== null && "url" in value ? value.url : "")}
        aria-invalid={state.problem !== null}
        aria-describedby={describedBy}
        aria-required={field.required}
        aria-label={`${field.label}, ${language.texts.address}`}
        onInput={(event) => {
          widget.form.type(field.key, event.currentTarget.value);
        }}
        onBlur={() => {
          widget.form.leave(field.key);
        }}
      />
      {canUpload && !isReadOnly && <Switch field={field} to={false} />}
    </>
  );
}

function Empty({ field, id, describedBy, state, isReadOnly }: ControlProps) {
  const { widget, language } = useView();
  const { texts } = language;
  return (
    <>
      <span class="drop-i">
        <FileIcon type={field.type} />
      </span>
      <span class="drop-t">
        <span class="small">
          {(Object.hasOwn(texts.drop, field.type) ? texts.drop[field.type] : undefined) ??
            texts.drop.other}
        </span>
        <span class="tiny muted">{limitsOf(field, language)}</span>
      </span>
      {!isReadOnly && (
        <span class="pickfile">
          <input
            type="file"
            id={id}
            accept={field.accept?.join(",")}
            aria-invalid={state.problem !== null}
            aria-describedby={describedBy}
            onChange={(event) => {
              const file = event.currentTarget.files?.[0];
              event.currentTarget.value = "";
              if (file !== undefined) {
                widget.addFile(field.key, file);
              }
            }}
          />
          <label class="btn btn-s" for={id}>
            {texts.chooseFile}
          </label>
        </span>
      )}
    </>
  );
}

/** Types shown at once; more would fill the row. */
const TYPES_SHOWN = 5;

function limitsOf({ accept = [], max_size_bytes: max }: FieldConfig, language: Language): string {
  // One name for a type with two extensions.
  const names = [
    ...new Set(
      accept.map((type) =>
        type
          .slice(1)
          .toUpperCase()
          .replace(/^JPEG$/, "JPG"),
      ),
    ),
  ];
  const types = names.slice(0, TYPES_SHOWN).join(", ") + (names.length > TYPES_SHOWN ? " …" : "");
  const size =
    max === undefined ? "" : language.fill(language.texts.upTo, { size: language.size(max) });
  return [types, size].filter((part) => part !== "").join(", ");
}

function Sending({ field, upload }: ControlProps & { readonly upload: Upload }) {
  const { widget, language } = useView();
  const { texts } = language;
  const { file, sentBytes, state } = upload;
  const share = file.size === 0 ? 1 : Math.min(1, sentBytes / file.size);
  const sent = language.fill(texts.sent, {
    sent: language.size(Math.min(sentBytes, file.size)),
    total: language.size(file.size),
  });
  return (
    <>
      <Preview field={field} file={file} />
      <Name name={file.name} note={state === "checking" ? texts.checking : sent} />
      <span class="row">
        {state === "stopped" && (
          <button
            type="button"
            class="btn btn-s"
            onClick={() => {
              widget.continueUpload(field.key);
            }}
          >
            {texts.continueUpload}
          </button>
        )}
        <button
          type="button"
          class="btn btn-ghost btn-i btn-s"
          aria-label={language.fill(texts.cancelUpload, { name: file.name })}
          onClick={() => {
            widget.form.remove(field.key);
          }}
        >
          <CrossIcon />
        </button>
      </span>
      <span
        class={state === "stopped" ? "bar bad" : "bar"}
        role="progressbar"
        aria-label={language.fill(texts.uploadProgress, { name: file.name })}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
      >
        <i style={{ inlineSize: `${String(share * 100)}%` }} />
      </span>
    </>
  );
}

function Chosen({
  field,
  state,
  value,
  isReadOnly,
}: ControlProps & { readonly value: MediaValue }) {
  const { widget, language } = useView();
  const name = "url" in value ? value.url : value.name;
  const note = "url" in value ? "" : value.size_bytes > 0 ? language.size(value.size_bytes) : "";
  return (
    <>
      <Preview field={field} file={state.file} />
      <Name name={name} note={note} />
      {isReadOnly ? (
        <span />
      ) : (
        <button
          type="button"
          class="btn btn-ghost btn-i btn-s"
          aria-label={language.fill(language.texts.remove, { name })}
          onClick={() => {
            widget.form.remove(field.key);
          }}
        >
          <CrossIcon />
        </button>
      )}
    </>
  );
}

function Name({ name, note }: { readonly name: string; readonly note: string }) {
  return (
    <span class="drop-t">
      <b class="cut small">
        <bdi>{name}</bdi>
      </b>
      <span class="tiny muted num">{note}</span>
    </span>
  );
}

/** The chosen picture itself, from memory: the page loads nothing for it. */
function Preview({
  field,
  file,
}: {
  readonly field: FieldConfig;
  readonly file: FieldState["file"];
}) {
  const isPicture = field.type === "image" && file !== null && file.type !== "image/svg+xml";
  const address = useMemo(() => (isPicture ? URL.createObjectURL(file) : null), [file, isPicture]);
  const [isBroken, setBroken] = useState(false);
  useEffect(
    () => () => {
      if (address !== null) {
        URL.revokeObjectURL(address);
      }
    },
    [address],
  );
  return (
    <span class="drop-i">
      {address === null || isBroken ? (
        <FileIcon type={field.type} />
      ) : (
        <img
          class="pic"
          src={address}
          alt=""
          onError={() => {
            setBroken(true);
          }}
        />
      )}
    </span>
  );
}
