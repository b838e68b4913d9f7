/** @jsxImportSource react */
/** The inputs of a run, made from the default interface. */
import { type FormEvent, useId, useState } from "react";
import { readJsonText, readNumber, showText } from "../core/parameters.ts";
import { answerInputs, askedInputs, type InputEntry, type RunInput } from "../state/run.ts";
import type { Words } from "../words.ts";
import { useEditor, useWords } from "./context.tsx";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icons.tsx";

/** Files that a picker offers, by the type of the input. The service decides what it accepts. */
const FILE_TYPES: Readonly<Record<string, string>> = {
  image: "image/*",
  video: "video/*",
  audio: "audio/*",
  document: ".pdf,.txt,.srt,.vtt,.csv,.tsv,.json,.xlsx",
  model3d: ".glb,.gltf,.obj,.stl,.usdz",
  dataset: ".csv,.tsv,.json,.ndjson,.jsonl,.xlsx",
};

type ByName<T> = Readonly<Record<string, T>>;

export function RunDialog() {
  const { store, runApi } = useEditor();
  const words = useWords();
  const inputs = askedInputs(store);
  const [texts, setTexts] = useState<ByName<string>>(() =>
    Object.fromEntries(inputs.map((input) => [input.name, initialText(input)])),
  );
  const [files, setFiles] = useState<ByName<File>>({});
  const [problems, setProblems] = useState<ByName<string>>({});
  const [isBusy, setBusy] = useState(false);
  const close = () => {
    answerInputs(store, runApi, null);
  };
  const entryOf = async (input: RunInput): Promise<InputEntry | string | undefined> => {
    const file = files[input.name];
    const text = texts[input.name] ?? "";
    if (file !== undefined) {
      return { asset_path: await runApi.upload(file) };
    }
    if (text !== "") {
      return { value: encode(input, text, words) };
    }
    return input.required ? words("required") : undefined;
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const entries: Record<string, InputEntry> = {};
    const wrong: Record<string, string> = {};
    setBusy(true);
    for (const input of inputs) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one upload at a time
        const entry = await entryOf(input);
        if (typeof entry === "string") {
          wrong[input.name] = entry;
        } else if (entry !== undefined) {
          entries[input.name] = entry;
        }
      } catch (error) {
        wrong[input.name] = error instanceof Error ? error.message : String(error);
      }
    }
    setBusy(false);
    setProblems(wrong);
    const [first] = Object.keys(wrong);
    if (first === undefined) {
      answerInputs(store, runApi, entries);
    } else {
      document.querySelector<HTMLElement>(`[data-svc-run-input="${CSS.escape(first)}"]`)?.focus();
    }
  };
  return (
    <Dialog
      title={words("runTitle", { name: store.state.workflow.name })}
      onClose={close}
      name="run"
    >
      <form onSubmit={(event) => void submit(event)} noValidate>
        <div className="body stack">
          <p className="help">{words("runHelp")}</p>
          {inputs.map((input) => (
            <RunField
              key={input.name}
              input={input}
              text={texts[input.name] ?? ""}
              problem={problems[input.name] ?? ""}
              onText={(text) => {
                setTexts({ ...texts, [input.name]: text });
              }}
              onFile={(file) => {
                const { [input.name]: _before, ...rest } = files;
                setFiles(file === undefined ? rest : { ...rest, [input.name]: file });
              }}
            />
          ))}
        </div>
        <footer>
          <button type="button" className="btn btn-s" onClick={close}>
            {words("cancel")}
          </button>
          <button
            type="submit"
            className="btn btn-s btn-primary"
            data-svc-action="start-run"
            disabled={isBusy}
          >
            {words(isBusy ? "uploading" : "run")}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function initialText({ type, default_value: encoded }: RunInput): string {
  if (encoded === undefined) {
    return type === "boolean" ? "false" : "";
  }
  const read = readJsonText(encoded);
  return "value" in read && (type === "text" || type === "number") ? showText(read.value) : encoded;
}

/** The JSON text of an input. Throws with a message for people. */
function encode({ type }: RunInput, text: string, words: Words): string {
  switch (type) {
    case "number": {
      const number = readNumber(text);
      if (number === undefined) {
        throw new Error(words("notANumber"));
      }
      return showText(number);
    }
    case "boolean":
      return text;
    case "json":
    case "any": {
      const read = readJsonText(text);
      if ("problem" in read) {
        throw new Error(words(read.problem));
      }
      return text;
    }
    default:
      return JSON.stringify(text);
  }
}

interface RunFieldProps {
  readonly input: RunInput;
  readonly text: string;
  readonly problem: string;
  readonly onText: (text: string) => void;
  readonly onFile: (file: File | undefined) => void;
}

function RunField(props: RunFieldProps) {
  const { input, problem } = props;
  const words = useWords();
  const id = useId();
  return (
    <div className="field">
      {input.type !== "boolean" && (
        <label className="label" htmlFor={id}>
          {input.label}
          <span className="opt">{words(input.required ? "required" : "optional")}</span>
        </label>
      )}
      <RunControl {...props} id={id} />
      {problem !== "" && (
        <span className="err" id={`${id}-error`} role="alert">
          <Icon name="error" size={14} />
          {problem}
        </span>
      )}
    </div>
  );
}

function RunControl({ input, text, problem, onText, onFile, id }: RunFieldProps & { id: string }) {
  const words = useWords();
  const accept = FILE_TYPES[input.type];
  const shared = {
    id,
    className: "input input-s",
    "aria-invalid": problem !== "",
    "aria-describedby": problem === "" ? undefined : `${id}-error`,
    "data-svc-run-input": input.name,
  };
  if (input.type === "boolean") {
    return (
      <label className="check">
        <input
          id={id}
          type="checkbox"
          data-svc-run-input={input.name}
          checked={text === "true"}
          onChange={(event) => {
            onText(String(event.currentTarget.checked));
          }}
        />
        <span>{input.label}</span>
      </label>
    );
  }
  if (accept === undefined) {
    return (
      <textarea
        {...shared}
        rows={input.type === "text" || input.type === "number" ? 1 : 4}
        value={text}
        onChange={(event) => {
          onText(event.currentTarget.value);
        }}
      />
    );
  }
  return (
    <>
      <input
        {...shared}
        type="file"
        accept={accept}
        onChange={(event) => {
          onFile(event.currentTarget.files?.[0]);
        }}
      />
      <input
        className="input input-s"
        type="url"
        placeholder={words("orAddress")}
        aria-label={`${input.label}, ${words("orAddress")}`}
        value={text}
        onChange={(event) => {
          onText(event.currentTarget.value);
        }}
      />
    </>
  );
}
