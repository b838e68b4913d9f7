/** The variables of a calculate expression, which become ports (docs/contract/formulas.md). */

const TOKEN =
  /(?<name>[\p{L}_$][\p{L}\p{M}\p{N}_$]*)|(?<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)|(?<space>[ \t\r\n]+)|(?<symbol>[^])/gu;

const WORDS = new Set(["true", "false", "and", "or", "not"]);

/**
 * Returns the names in order of their first use: those that do not follow a dot and are not before a parenthesis. An
 * expression that does not parse returns the names that it has so far, so that its ports stay while it is typed.
 */
export function expressionVariables(expression: string, max: number): readonly string[] {
  const tokens = [...expression.matchAll(TOKEN)].filter(({ groups }) => !groups?.["space"]);
  const found = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    const name = token.groups?.["name"];
    const isField = tokens[at - 1]?.[0] === ".";
    const isCall = tokens[at + 1]?.[0] === "(";
    if (name !== undefined && !isField && !isCall && !WORDS.has(name)) {
      found.add(name);
      if (found.size === max) {
        break;
      }
    }
  }
  return [...found];
}
