/** The examples of the routes of webhooks. */
import type { ExampleReceiver } from "./example-receiver.ts";
import { type ExampleRecorder, until } from "./example-recorder.ts";

interface Tour {
  readonly call: ExampleRecorder["call"];
  readonly text: ExampleRecorder["text"];
  readonly receiver: ExampleReceiver;
  readonly receiverUrl: string;
}

/**
 * Calls each route of webhooks once. `run` runs the workflow and returns the id of the execution, which the endpoint
 * receives; `batch` runs it for a batch.
 */
export async function webhookTour(
  { call, text, receiver, receiverUrl }: Tour,
  {
    workflow,
    run,
    batch,
  }: {
    readonly workflow: string;
    readonly run: () => Promise<string>;
    readonly batch: () => Promise<void>;
  },
): Promise<void> {
  const endpoints = "/api/v1/webhooks/endpoints";
  const made = await call("createWebhookEndpoint", "POST", endpoints, {
    json: {
      name: "Orders",
      url: `${receiverUrl}/edgeloom`,
      workflow_scope: "selected",
      workflow_ids: [workflow],
    },
  });
  text.replace(made.signing_secret, "whsec_SECRET");
  const one = `${endpoints}/${made.id}`;
  await call("testWebhookEndpoint", "POST", `${one}/test`);
  await call("activateWebhookEndpoint", "POST", `${one}/activate`);
  await call("listWebhookEndpoints", "GET", endpoints);
  await call("getWebhookEndpoint", "GET", one);
  const execution = await run();
  const delivery = await until("the delivery", async () => {
    const { data } = await call(
      "listWebhookDeliveries",
      "GET",
      `/api/v1/webhooks/deliveries?endpoint_id=${made.id}&execution=${execution}`,
    );
    return data[0]?.status === "delivered" && data[0];
  });
  await call("getWebhookDelivery", "GET", `/api/v1/webhooks/deliveries/${delivery.id}`);
  await call("replayWebhookDelivery", "POST", `/api/v1/webhooks/deliveries/${delivery.id}/replay`);
  await call("listWebhookActivity", "GET", "/api/v1/webhooks/activity");
  await retryTour({ call, receiver }, workflow);
  const rotated = await call("rotateWebhookSecret", "POST", `${one}/rotate-secret`);
  text.replace(rotated.signing_secret, "whsec_SECRET");
  await call("revokePreviousWebhookSecret", "POST", `${one}/revoke-previous-secret`);
  await call("patchWebhookEndpoint", "PATCH", one, {
    json: {
      description: "New orders",
      event_types: ["com.svc.execution.finished.v1", "com.svc.batch.finished.v1"],
    },
  });
  await batch();
  await until("the event of the batch", async () =>
    Promise.resolve("com.svc.batch.finished.v1" in receiver.events),
  );
  await call("pauseWebhookEndpoint", "POST", `${one}/pause`);
  await call("archiveWebhookEndpoint", "DELETE", one);
}

/** A delivery that is exhausted at once, because its receiver requests a delay beyond the deadline. */
async function retryTour(
  { call, receiver }: Pick<Tour, "call" | "receiver">,
  workflow: string,
): Promise<void> {
  receiver.isDown = true;
  const run = await call(null, "POST", "/api/v1/executions", {
    json: { workflow, inputs: { name: { value: '"Grace Hopper"' } } },
  });
  const delivery = await until("the exhausted delivery", async () => {
    const { data } = await call(null, "GET", `/api/v1/webhooks/deliveries?execution=${run.id}`);
    return data[0]?.status === "exhausted" && data[0];
  });
  receiver.isDown = false;
  await call("retryWebhookDelivery", "POST", `/api/v1/webhooks/deliveries/${delivery.id}/retry`);
}
