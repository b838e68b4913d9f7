import type { JsonValue } from "../src/lib/json/exact-json.ts";
import { benchGuid } from "./large-document.ts";

/** A letter to one person: a page with three fields and some text. */
export function letterDocument(): JsonValue {
  const text = (number: number, top: number, content: string, code?: string) => ({
    $type: "text",
    id: benchGuid(700_000 + number),
    left: 60,
    top,
    width: 475,
    height: 40,
    text: content,
    ...(code !== undefined && {
      placeholder: {
        id: benchGuid(710_000 + number),
        name: code,
        code,
        placeholderType: "text",
        required: true,
      },
    }),
  });
  return {
    schemaVersion: "2.0",
    pages: [
      {
        id: benchGuid(700_000),
        width: 595,
        height: 842,
        elements: [
          text(1, 60, "Letter to"),
          text(2, 100, "", "name"),
          text(3, 140, "", "city"),
          text(4, 220, "Thank you for your order. We have received your payment of"),
          text(5, 260, "", "amount"),
          text(6, 320, "It will leave our house within three days. You can answer to this letter."),
          text(7, 400, "Yours sincerely"),
        ],
      },
    ],
  };
}

export interface Letter {
  readonly name: string;
  readonly city: string;
  readonly amount: string;
}

const CITIES = ["Hamburg", "Lyon", "Trieste", "Porto", "Gdańsk"];

/** Of as many different people. */
export function letters(count: number): Letter[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `${["Ada", "Grace", "Emmy", "Sofia", "Maria"][i % 5]} Person${String(i).padStart(5, "0")}`,
    city: CITIES[i % CITIES.length] ?? "",
    amount: `${(i * 7.31 + 10).toFixed(2)} EUR`,
  }));
}
