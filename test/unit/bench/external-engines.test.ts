import { describe, expect, it } from "vitest";
import { ENGINES, howToInstall, missingParts } from "../../../bench/external-engines.ts";

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
});
