/**
 * What every contender prints, from the same numbers: an invoice of 20 fields on one page of A4 (40 runs of text and
 * some rules), and a table of 300 rows with 5 columns over several pages. A seed gives other values each time, so that
 * nobody prints from a cache of whole documents.
 */
export const PAGE = { width: 595, height: 842 };

const NAMES = ["Ada Byron", "Grace Hopper", "Emmy Noether", "Sofia Kowalewska", "Maria Mayer"];
const CITIES = ["Hamburg", "Lyon", "Trieste", "Porto", "Gdańsk"];

/** Deterministic numbers (Mulberry32). */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const LABELS = [
  "Invoice",
  "Number",
  "Date",
  "Due",
  "Customer",
  "Street",
  "City",
  "Country",
  "Tax number",
  "Order",
  "Contact",
  "Telephone",
  "Subtotal",
  "Discount",
  "Tax",
  "Shipping",
  "Total",
  "Account",
  "Bank",
  "Reference",
];

/** @returns {{values: Record<string, string>, texts: {x: number, y: number, size: number, text: string, field: string | null}[], rules: {x1: number, y1: number, x2: number, y2: number}[]}} */
export function invoice(seed) {
  const random = randomOf(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const money = () => `${(random() * 10_000).toFixed(2)} EUR`;
  const number = (digits) => String(Math.floor(random() * 10 ** digits)).padStart(digits, "0");
  const contents = [
    `No. ${number(6)}`,
    `INV-${number(8)}`,
    `2026-11-${number(1)}${number(1)}`,
    "30 days",
    pick(NAMES),
    `${pick(["Harbor Road", "Mill Lane", "Station Street"])} ${number(2)}`,
    pick(CITIES),
    pick(["Germany", "France", "Italy"]),
    `DE${number(9)}`,
    `PO-${number(5)}`,
    pick(NAMES),
    `+49 40 ${number(7)}`,
    money(),
    money(),
    money(),
    money(),
    money(),
    `DE${number(10)}${number(10)}`,
    pick(["Northern Trust", "Harbor Bank"]),
    `RF${number(10)}`,
  ];
  const values = Object.fromEntries(contents.map((text, i) => [`field_${i}`, text]));
  const texts = LABELS.flatMap((label, i) => {
    const y = 60 + i * 36;
    return [
      { x: 60, y, size: i === 0 ? 20 : 10, text: label, field: null },
      { x: 220, y, size: i === 0 ? 20 : 12, text: contents[i], field: `field_${i}` },
    ];
  });
  const rules = LABELS.map((_, i) => ({ x1: 60, y1: 88 + i * 36, x2: 535, y2: 88 + i * 36 }));
  return { values, texts, rules };
}

export const COLUMNS = [
  { key: "item", title: "Item", width: 60 },
  { key: "name", title: "Name", width: 175 },
  { key: "quantity", title: "Quantity", width: 70 },
  { key: "price", title: "Price", width: 85 },
  { key: "total", title: "Total", width: 85 },
];

/** Rows of one table: lists of 100, since a list field has at most 100 items. */
export function table(seed, rowCount = 300) {
  const random = randomOf(seed);
  return Array.from({ length: rowCount }, (_, i) => {
    const quantity = 1 + Math.floor(random() * 99);
    const price = Math.round(random() * 10_000) / 100;
    return {
      item: String(1000 + i),
      name: `${["Bolt", "Washer", "Bracket", "Hinge"][i % 4]} ${Math.floor(random() * 100_000)} mm`,
      quantity: String(quantity),
      price: price.toFixed(2),
      total: (quantity * price).toFixed(2),
    };
  });
}
