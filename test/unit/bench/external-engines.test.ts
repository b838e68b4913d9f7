import { describe, expect, it } from "vitest";
import {
  ENGINES,
  howToInstall,
  installedEngines,
  missingParts,
} from "../../../bench/external-engines.ts";

const dbos = ENGINES.find(({ id }) => id === "dbos")!;
const all = () => true;

describe("external engines", () => {
  it("lack nothing if their packages and programs are installed", () => {
    for (const engine of ENGINES) {
      expect(missingParts(engine, all, all).missing).toEqual([]);
    }
  });

  it("list the missing parts and the commands that install them", () => {
    const lacking = missingParts(
      dbos,
      (name) => name !== "initdb",
      (name) => name !== "pg",
    );
    expect(lacking.missing).toEqual(["pg", "initdb"]);
    expect(howToInstall(lacking).split("\n")).toEqual([
      "DBOS with PostgreSQL is not measured: pg, initdb not found. To install:",
      "  npm install --ignore-scripts --prefix bench/peers/external",
      "  apt-get install postgresql",
    ]);
  });

  it("of batches are BullMQ with both kinds of persistence and pg-boss; those not installed are named", () => {
    const said: string[] = [];
    const { installed, missing } = installedEngines("batches", (line) => said.push(line));
    const names = [
      "BullMQ with Redis (log synced each second)",
      "BullMQ with Redis (by default: snapshots, the last minute may be lost)",
      "pg-boss with PostgreSQL",
    ];
    expect([...installed.map(({ name }) => name), ...missing].sort()).toEqual(names.sort());
    expect(said).toHaveLength(missing.length);
    for (const name of missing) {
      expect(said.some((line) => line.startsWith(`${name} is not measured: `))).toBe(true);
    }
  });
});
