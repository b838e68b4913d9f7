const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;
/** Most characters of a key that a message shows. */
const SHOWN_CHARS_MAX = 60;

/** The path of a field, in a message: `nodes[3]` and `["position", "a b"]` give `nodes[3].position["a b"]`. */
export function fieldPath(prefix: string, path: readonly PropertyKey[]): string {
  let text = prefix;
  for (const key of path) {
    if (typeof key === "number") {
      text += `[${key}]`;
    } else if (PLAIN_KEY.test(String(key))) {
      text += text === "" ? String(key) : `.${String(key)}`;
    } else {
      text += `[${JSON.stringify(shownKey(String(key)))}]`;
    }
  }
  return text;
}

/** A key that a caller sent, shortened. */
export function shownKey(key: string): string {
  return key.length > SHOWN_CHARS_MAX ? `${key.slice(0, SHOWN_CHARS_MAX)}…` : key;
}
