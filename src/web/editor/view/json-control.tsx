/** @jsxImportSource react */
import { useEffect, useState } from "react";
import { type JsonValue, stringifyJson } from "../../../lib/json/exact-json.ts";
import { readJsonText, writeJsonText } from "../core/parameters.ts";
import { useWords } from "./context.tsx";
import { attributesOf, type ValueProps } from "./value-props.ts";

/** A field for any JSON; a text that is not JSON stays in the field and changes nothing. */
export function JsonControl(props: ValueProps) {
  const { value, byDefault, onChange } = props;
  const words = useWords();
  const shown = writeJsonText(value);
  const [text, setText] = useState(shown);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    setText((before) => (isSameJson(before, value) ? before : shown));
    setProblem("");
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [shown]);
  return (
    <>
      <textarea
        {...attributesOf(props)}
        className="input input-s mono"
        rows={3}
        dir="ltr"
        spellCheck={false}
        value={text}
        placeholder={writeJsonText(byDefault)}
        aria-invalid={problem !== "" || props.isInvalid}
        onChange={(event) => {
          const typed = event.currentTarget.value;
          setText(typed);
          if (typed.trim() === "") {
            setProblem("");
            onChange(undefined);
            return;
          }
          const read = readJsonText(typed);
          setProblem("problem" in read ? words(read.problem) : "");
          if ("value" in read) {
            onChange(read.value);
          }
        }}
      />
      {problem !== "" && (
        <span className="err" role="status">
          {problem}
        </span>
      )}
    </>
  );
}

function isSameJson(text: string, value: JsonValue | undefined): boolean {
  const read = readJsonText(text);
  return (
    "value" in read && value !== undefined && stringifyJson(read.value) === stringifyJson(value)
  );
}
