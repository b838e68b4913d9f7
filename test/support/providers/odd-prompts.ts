/** Texts that a prompt may be. */
export const ODD_PROMPTS: Readonly<Record<string, string>> = {
  "that is empty": "",
  "of 10 MB": "A kite, 🪁. ".repeat(770_000),
  "with lone surrogates": "a\uD800b\uDC00c",
  "from right to left": "\u202Eطائرة ورقية\u202C עפיפון",
  "of control characters": Array.from({ length: 33 }, (_, code) => String.fromCharCode(code)).join(
    "\u007F\u0085\u2028",
  ),
};
