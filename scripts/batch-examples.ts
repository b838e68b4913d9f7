/** The examples of the routes of batches. */
import { type ExampleRecorder, until } from "./example-recorder.ts";

/** Calls each route of batches; of a route that is called again, the last call is recorded. */
export async function batchTour(call: ExampleRecorder["call"], workflow: string): Promise<void> {
  const path = "/api/v1/batch-executions";
  const itemOf = (name: string, client_reference: string) => ({
    inputs: { name: { value: JSON.stringify(name) } },
    client_reference,
  });
  const items = [itemOf("Ada Lovelace", "guest 1"), itemOf("Grace Hopper", "guest 2")];
  const create = (more: object) =>
    call("createBatchExecution", "POST", path, { json: { workflow, ...more, items } });
  await call("estimateBatchExecution", "POST", `${path}/estimate`, { json: { workflow, items } });
  const waiting = await create({ start: false });
  await call("startBatchExecution", "POST", `${path}/${waiting.id}/start`);
  await until("the first batch's end", async () => {
    const now = await call(null, "GET", `${path}/${waiting.id}`);
    return now.status === "completed";
  });
  const unwanted = await create({ start: false });
  await call("cancelBatchExecution", "POST", `${path}/${unwanted.id}/cancel`);
  await call("retryBatchExecution", "POST", `${path}/${unwanted.id}/retry`, {
    json: { include_partial: true },
  });
  const batch = await create({ name: "Guests" });
  await until("the batch's end", async () => {
    const now = await call("getBatchExecution", "GET", `${path}/${batch.id}`);
    return now.status === "completed";
  });
  await call("listBatchItems", "GET", `${path}/${batch.id}/items`);
  await call("getBatchItem", "GET", `${path}/${batch.id}/items/1`);
  await call("streamBatchEvents", "GET", `${path}/${batch.id}/events`);
  const requestExport = () =>
    call("requestBatchExport", "POST", `${path}/${batch.id}/exports`, { json: { format: "csv" } });
  await requestExport();
  await until("the export's end", async () => {
    const now = await call("getBatchExport", "GET", `${path}/${batch.id}/exports/csv`);
    return now.status === "completed";
  });
  await requestExport();
  await call("downloadBatchExport", "GET", `${path}/${batch.id}/exports/csv/download`);
  await call("listBatchExecutions", "GET", `${path}?limit=1`);
}
