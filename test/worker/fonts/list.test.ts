import { describe, expect, it } from "vitest";
import { type Reply, newCaller } from "../../support/api-caller.ts";
import { FontApi } from "../../support/fonts/font-api.ts";

const named = (displayName: string) => ({ fields: { displayName } });

describe("the list of families", () => {
  const names = ({ json }: Reply): string[] =>
    json.data.map(({ displayName }: { displayName: string }) => displayName);

  it("shows those of the system and of the workspace together, by name, page by page", async () => {
    const who = await newCaller();
    const api = new FontApi(who);
    const system = (await api.get("/api/v1/fonts?scope=system")).json;
    expect(system.total_count).toBeGreaterThanOrEqual(8);
    for (const name of ["zz Last", "Aardvark", "Noto Sans Mine", "émile"]) {
      await api.create({ ...named(name), files: [{}] });
    }
    const all = await api.get("/api/v1/fonts?limit=100");
    expect(all.json.total_count).toBe(system.total_count + 4);
    expect(names(all)[0]).toBe("Aardvark");
    expect(names(all).slice(-2)).toEqual(["zz Last", "émile"]);
    expect(names(all)).toContain("Noto Sans");
    const seen: string[] = [];
    let cursor = "";
    for (let page = 0; page < 20; page++) {
      const response = await api.get(`/api/v1/fonts?limit=2${cursor}`);
      seen.push(...names(response));
      if (page === 1) {
        // The cursor's family may be archived, and others may be added before it.
        await api.create({ ...named("AAA"), files: [{}] });
      }
      if (!response.json.has_more) {
        expect(response.json.next_cursor).toBe(null);
        break;
      }
      cursor = `&starting_after=${response.json.next_cursor}`;
    }
    expect(seen).toEqual(names(all));
  });

  it("continues after a family that was archived meanwhile", async () => {
    const who = await newCaller();
    const api = new FontApi(who);
    for (const name of ["One", "Three", "Two"]) {
      await api.create({ ...named(name), files: [{}] });
    }
    const first = await api.get("/api/v1/fonts?scope=workspace&limit=1");
    await api.archive(first.json.next_cursor);
    const rest = await api.get(
      `/api/v1/fonts?scope=workspace&starting_after=${first.json.next_cursor}`,
    );
    expect([names(rest), rest.json.total_count]).toEqual([["Three", "Two"], 2]);
  });

  it("is filtered by text, category and scope", async () => {
    const who = await newCaller();
    const api = new FontApi(who);
    await api.create({
      fields: { displayName: "100% Mine", category: "handwriting" },
      files: [{ family: "Hand" }],
    });
    const of = async (query: string) => names(await api.get(`/api/v1/fonts?limit=100&${query}`));
    expect(await of("query=100%25")).toEqual(["100% Mine"]);
    expect(await of("query=_")).toEqual([]);
    expect(await of("query=hAND")).toEqual(["100% Mine"]);
    expect(await of("category=handwriting")).toEqual(["100% Mine", "Caveat"]);
    expect(await of("category=handwriting&scope=workspace")).toEqual(["100% Mine"]);
    expect(await of("scope=workspace&category=serif")).toEqual([]);
    for (const query of ["category=x", "scope=x", "limit=0", "limit=101"]) {
      const response = await api.get(`/api/v1/fonts?${query}`);
      expect([response.status, response.json.code], query).toEqual([400, "validation_error"]);
    }
    for (const cursor of ["x", crypto.randomUUID()]) {
      const response = await api.get(`/api/v1/fonts?starting_after=${cursor}`);
      expect([response.status, response.json.code]).toEqual([400, "invalid_request"]);
    }
  });
});
