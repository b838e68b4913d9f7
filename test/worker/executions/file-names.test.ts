import { expect, it } from "vitest";
import { call, newCaller, ORIGIN } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";

/** More than the 1 MiB that an item carries as its value, so that each element has an address. */
const REPEATS = 6000;
const LINE = 200;

it("an output's elements are saved under the author's file name, each with its own index", async () => {
  const caller = await newCaller();
  const workflow = await publishedWorkflow(caller, {
    nodes: [
      { id: "rows", type: "input/json", label: "Rows" },
      {
        id: "long",
        type: "text/template",
        parameters: { template: "[n]".repeat(REPEATS), placeholders: [{ inputPort: "n" }] },
      },
      {
        id: "each",
        type: "output/text",
        parameters: { key: "each", file_name: "Größe {index}/{index}.txt" },
      },
      { id: "plain", type: "output/text", parameters: { key: "plain" } },
    ],
    connections: [
      { from: { node: "rows", port: "item" }, to: { node: "long", port: "n" } },
      { from: { node: "long", port: "text" }, to: { node: "each", port: "text" } },
      { from: { node: "long", port: "text" }, to: { node: "plain", port: "text" } },
    ],
  });
  const { token } = caller;
  const submitted = await call("POST", "/api/v1/executions", {
    token,
    json: {
      workflow,
      inputs: { rows: { value: JSON.stringify(["a".repeat(LINE), "b".repeat(LINE)]) } },
    },
  });
  const { id } = submitted.json;
  const ended = await waitUntil(`${id} to end`, async () => {
    const { json } = await call("GET", `/api/v1/executions/${id}/result`, { token });
    return json.is_terminal && json;
  });
  const names = async (key: string): Promise<(string | null)[]> => {
    const { items } = ended.result.by_key[key];
    const answers = await Promise.all(
      items.map((item: { url: string }) => call("GET", item.url.replace(ORIGIN, ""))),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1].text.startsWith("bbbb")).toBe(true);
    return answers.map(({ headers }) => headers.get("content-disposition"));
  };
  expect(await names("each")).toEqual(
    [0, 1].map(
      (index) =>
        `inline; filename="Grosse ${index}_${index}.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20${index}_${index}.txt`,
    ),
  );
  expect((await names("plain")).join()).not.toContain("Gr");
  const raw = await call("GET", `/api/v1/executions/${id}/outputs`, { token });
  expect(raw.json.data[0].url).toContain("?name=");
});
