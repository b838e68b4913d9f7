import type { Symbology } from "../../contracts/code-symbol.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const QR_CHARACTERS_MAX = LIMITS.qr_text.value;
const CODE128_CHARACTERS_MAX = LIMITS.code128_text.value;

/**
 * The text as encoded in the symbol: for `ean13`, 13 digits, with the last one verified or added.
 * Throws NodeError `CODE_TEXT_INVALID` (docs/contract/codes.md#symbols).
 */
export function normalizeCodeText(symbology: Symbology, text: string): string {
  switch (symbology) {
    case "qr":
      return qrText(text);
    case "ean13":
      return ean13Digits(text);
    case "code128":
      return code128Text(text);
  }
}

function qrText(text: string): string {
  if (text === "") {
    throw invalid("The text of a QR code is empty; send at least one character.");
  }
  if (text.length > QR_CHARACTERS_MAX) {
    throw invalid(
      `The text has ${text.length} characters; a QR code can have ${QR_CHARACTERS_MAX} digits or 2,953 bytes. Shorten it, or encode a link to it.`,
    );
  }
  if (!text.isWellFormed()) {
    throw invalid(
      "The text contains half of a surrogate pair, which no encoding can represent. Remove it.",
    );
  }
  return text;
}

function ean13Digits(text: string): string {
  // The length is checked first, so that no pattern runs on a long text.
  const digits = text.length > 64 ? text : text.replaceAll(/[\s-]/g, "");
  if (!/^[0-9]{12,13}$/.test(digits)) {
    throw invalid(
      `EAN-13 needs 12 digits (the check digit is added) or 13 (it is verified), spaces and dashes ignored, but the text is ${quoted(text)}.`,
    );
  }
  const checkDigit = ean13CheckDigit(digits);
  if (digits.length === 13 && digits[12] !== checkDigit) {
    throw invalid(
      `The check digit of ${digits} is ${digits[12]}, but it must be ${checkDigit} for ${digits.slice(0, 12)}. Correct the number, or omit the last digit to have it added.`,
    );
  }
  return digits.slice(0, 12) + checkDigit;
}

/**
 * Alternating weights 1 and 3 from the left; the check digit completes the sum to a multiple of 10
 * (GS1 General Specifications §7.9).
 */
function ean13CheckDigit(digits: string): string {
  let sum = 0;
  for (let i = 0; i < 12; i++) {
    sum += Number(digits[i]) * (i % 2 === 0 ? 1 : 3);
  }
  return String((10 - (sum % 10)) % 10);
}

function code128Text(text: string): string {
  const length = text.length;
  if (length === 0 || length > CODE128_CHARACTERS_MAX) {
    throw invalid(
      `Code 128 takes 1 to ${CODE128_CHARACTERS_MAX} characters; the text has ${length}. ${length === 0 ? "Give a text." : "Shorten it, or use a QR code."}`,
    );
  }
  const odd = /[^\u0020-\u007E]/u.exec(text);
  if (odd !== null) {
    throw invalid(
      `Code 128 takes printable ASCII only; character ${odd.index + 1} of ${quoted(text)} is U+${(odd[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}. Replace it, or use a QR code.`,
    );
  }
  return text;
}

function quoted(text: string): string {
  const shown = text.length > 64 ? `${text.slice(0, 64)}…` : text;
  return JSON.stringify(shown.toWellFormed());
}

function invalid(message: string): NodeError {
  return new NodeError("CODE_TEXT_INVALID", message);
}
