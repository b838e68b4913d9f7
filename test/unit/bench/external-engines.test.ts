import { describe, expect, it } from "vitest";
import { ENGINES, howToInstall, missingParts } from "../../../bench/external-engines.ts";

const dbos = ENGINES.find(({ id }) => id === "dbos")!;
const all = () => true;

describe("external engines", () => {
  it("lack nothing where their packages and programs are there", () => {
    for (const engine of ENGINES) {
      expect(missingParts(engine, all, all).missing).toEqual([]);
    }
  });

  it("name what is missing and the commands that bring it", () => {
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
