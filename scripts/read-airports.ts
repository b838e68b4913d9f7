/** The 3,376 airports of the `vega-datasets` package (BSD-3-Clause), read here to verify the service's results. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseCsv } from "./parse-csv.ts";

export const AIRPORTS_FILE = fileURLToPath(
  new URL("../node_modules/vega-datasets/data/airports.csv", import.meta.url),
);

export interface Airport {
  readonly iata: string;
  readonly name: string;
  readonly city: string;
  readonly state: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** Returns every row of the file without the country. Throws if a column is missing or a coordinate is not a number. */
export async function readAirports(): Promise<readonly Airport[]> {
  const [header, ...rows] = parseCsv(await readFile(AIRPORTS_FILE, "utf8"));
  const column = (name: string) => {
    const index = header?.indexOf(name) ?? -1;
    if (index < 0) {
      throw new Error(
        `airports.csv has no column "${name}"; its columns are ${header?.join(", ")}.`,
      );
    }
    return index;
  };
  const [iata, name, city, state] = [
    column("iata"),
    column("name"),
    column("city"),
    column("state"),
  ];
  const [latitude, longitude] = [column("latitude"), column("longitude")];
  return rows.map((row, i) => ({
    iata: row[iata] ?? "",
    name: row[name] ?? "",
    city: row[city] ?? "",
    state: row[state] ?? "",
    latitude: coordinate(row[latitude], i + 2),
    longitude: coordinate(row[longitude], i + 2),
  }));
}

function coordinate(text: string | undefined, line: number): number {
  const value = Number(text);
  if (text === undefined || text.trim() === "" || !Number.isFinite(value)) {
    throw new Error(`airports.csv, line ${line}: "${text}" is not a coordinate.`);
  }
  return value;
}
