import { PDFArray, type PDFDict, type PDFObject } from "pdf-lib";
import type { PaintingStream, X4File } from "./x4-file.ts";
import type { X4Rule } from "./x4-rule.ts";

const OPERATORS = new Set(
  (
    "b B b* B* BDC BMC BT BX c cm CS cs d d0 d1 Do DP EMC ET EX f F f* G g gs h i j J K k l m M MP n q Q re RG rg ri s S " +
    "SC sc SCN scn sh T* Tc Td TD Tf Tj TJ TL Tm Tr Ts Tw Tz v w W W* y"
  ).split(" "),
);

/** A requirement of each content stream. */
const each = (id: string, isRight: (stream: PaintingStream, file: X4File) => boolean): X4Rule => ({
  id,
  check: (file) =>
    file.painting.flatMap((stream) =>
      isRight(stream, file) ? [] : [`${id} does not hold in ${stream.name}`],
    ),
});

function uses({ operations = [] }: PaintingStream, ...operators: readonly string[]): boolean {
  return operations.some(({ operator }) => operators.includes(operator));
}

/** Names of a kind of resource that are used by an operator and not defined. */
function areDefined(
  { operations = [], resources }: PaintingStream,
  file: X4File,
  category: string,
  ...operators: readonly string[]
): boolean {
  return operations
    .filter(({ operator }) => operators.includes(operator))
    .flatMap(({ operands }) => operands.filter((one) => one.startsWith("/")))
    .every(
      (name) => name === "/Pattern" || file.get(resources, category, name.slice(1)) !== undefined,
    );
}

function isBalanced(
  { operations = [] }: PaintingStream,
  open: readonly string[],
  close: string,
): boolean {
  let depth = 0;
  for (const { operator } of operations) {
    depth += open.includes(operator) ? 1 : operator === close ? -1 : 0;
    if (depth < 0) {
      return false;
    }
  }
  return depth === 0;
}

/** `[/ICCBased stream]` with a profile of that many components in its header. */
function isIcc(
  file: X4File,
  owner: PDFDict | undefined,
  key: string,
  n: number,
  space: string,
): boolean {
  const [kind, stream] = file.list(owner, "ColorSpace", key) ?? [];
  const found = file.stream(stream);
  const data = found === undefined ? undefined : file.data(found);
  const header = String.fromCharCode(...(data?.subarray(16, 20) ?? []));
  return kind?.toString() === "/ICCBased" && file.number(found, "N") === n && header === space;
}

/** Whether the stream names device RGB: by an operator, a picture, a shading or a pattern. */
function paintsRgb(stream: PaintingStream, file: X4File): boolean {
  const isRgb = (owner: PDFObject | undefined) =>
    /^\/DeviceRGB$|\/Indexed \/DeviceRGB/.test(String(file.get(owner, "ColorSpace")));
  const named = (category: string) => file.dict(stream.resources, category)?.values() ?? [];
  return (
    uses(stream, "rg", "RG") ||
    [...named("XObject"), ...named("Shading")].some(isRgb) ||
    named("Pattern").some((pattern) => isRgb(file.get(pattern, "Shading")))
  );
}

const SHADING_SPACES = ["/DeviceRGB", "/DeviceGray", "/DeviceCMYK"];

export const COLOR_RULES: readonly X4Rule[] = [
  each("content-readable", ({ operations }) => operations !== undefined),
  each("content-operators", ({ operations = [] }) =>
    operations.every(({ operator }) => OPERATORS.has(operator)),
  ),
  each("content-states-balanced", (stream) => isBalanced(stream, ["q"], "Q")),
  each("content-texts-balanced", (stream) => isBalanced(stream, ["BT"], "ET")),
  each("content-marks-balanced", (stream) => isBalanced(stream, ["BDC", "BMC"], "EMC")),
  each("content-no-postscript", (stream) => !uses(stream, "PS", "BI")),
  each("content-rendering-intent", ({ operations = [] }) =>
    operations
      .filter(({ operator }) => operator === "ri")
      .every(({ operands }) =>
        /^\/(?:Perceptual|RelativeColorimetric|Saturation|AbsoluteColorimetric)$/.test(
          operands[0] ?? "",
        ),
      ),
  ),
  each(
    "rgb-has-default",
    (stream, file) =>
      !paintsRgb(stream, file) || isIcc(file, stream.resources, "DefaultRGB", 3, "RGB "),
  ),
  each(
    "cmyk-fits-intent",
    (stream, file) => !uses(stream, "k", "K") || file.deviceSpace === "DeviceCMYK",
  ),
  each(
    "gray-fits-intent",
    (stream, file) => !uses(stream, "g", "G") || file.deviceSpace !== "DeviceRGB",
  ),
  each("states-defined", (stream, file) => areDefined(stream, file, "ExtGState", "gs")),
  each("objects-defined", (stream, file) => areDefined(stream, file, "XObject", "Do")),
  each("fonts-defined", (stream, file) => areDefined(stream, file, "Font", "Tf")),
  each("shadings-defined", (stream, file) => areDefined(stream, file, "Shading", "sh")),
  each("patterns-defined", (stream, file) => areDefined(stream, file, "Pattern", "scn", "SCN")),
  {
    id: "shading-space",
    check: (file) =>
      file.dicts
        .filter((dict) => file.number(dict, "ShadingType") !== undefined)
        .filter((dict) => !SHADING_SPACES.includes(String(file.get(dict, "ColorSpace"))))
        .map(() => "a shading has a color space that is not of this writer"),
  },
  {
    id: "shading-type",
    check: (file) =>
      file.dicts
        .map((dict) => file.number(dict, "ShadingType"))
        .filter((type) => type !== undefined && type !== 2 && type !== 3)
        .map((type) => `a shading has type ${type}`),
  },
  {
    id: "shading-function",
    check: (file) =>
      file.dicts
        .filter((dict) => file.number(dict, "ShadingType") !== undefined)
        .filter((dict) => ![2, 3].includes(file.number(dict, "Function", "FunctionType") ?? 0))
        .map(() => "a shading has no function"),
  },
  {
    id: "no-other-spaces",
    check: (file) =>
      file.objects
        .flatMap(([, object]) => (object instanceof PDFArray ? [object] : []))
        .filter((list) => /^\/(?:Separation|DeviceN|Lab)$/.test(String(list.asArray()[0])))
        .map(() => "a color space is not of this writer"),
  },
];
