/**
 * Skills for agents that work with this service (docs/contract/discovery.md#agent-skills). Each
 * refers only to existing routes.
 */
export interface AgentSkill {
  readonly name: string;
  readonly description: string;
  /** Markdown after the front matter; `{base_url}` is replaced by the deployment's address. */
  readonly body: string;
}

const TOKEN = `Get a token once and use it for its lifetime of one hour:

\`\`\`sh
TOKEN=$(curl -s -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials \\
  {base_url}/api/v1/auth/token | jq -r .access_token)
\`\`\`

Send it as \`Authorization: Bearer $TOKEN\`. On 401 \`unauthorized\`, get a new token. On 429 and 503, wait for the seconds in \`Retry-After\`.`;

export const AGENT_SKILLS: readonly AgentSkill[] = [
  {
    name: "run-workflow",
    description:
      "Run a published Edgeloom workflow and read its results: find the input keys, submit once, poll until it has ended, fetch outputs or one ZIP.",
    body: `# Run a workflow

${TOKEN}

## 1. Find the inputs

\`GET {base_url}/api/v1/workflows?status=published\` lists workflows; \`GET {base_url}/api/v1/workflows/{id}\` has \`execution_contract\`. Copy \`execution_contract.primary.example\`: it is a complete submit body. If \`primary.interface\` is present, send it too. Never guess input keys.

A \`value\` is JSON **as a string**: the text \`hello\` is \`"value": "\\"hello\\""\`, the number 3 is \`"value": "3"\`. A stored file is sent as \`asset_path\` instead.

## 2. Estimate the cost

\`POST {base_url}/api/v1/workflows/{id}/estimate\` accepts the submit body and runs nothing. Limit the run: \`"admission_limits": {"max_iterations_per_node": 100, "max_admitted_milli_credits": 5000}\` (1000 milli-credits are one credit). Send \`X-Client-Kind: agent\`: a workflow whose fan-out is known only in the run then requires \`max_iterations_per_node\`.

## 3. Submit once

\`\`\`sh
curl -s {base_url}/api/v1/executions -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' -H 'x-client-kind: agent' -H "idempotency-key: $KEY" -d @body.json
\`\`\`

Choose \`$KEY\` (8 to 255 characters) before the first try and keep it for every repeat of the same submit: a repeat returns the same run and costs nothing. 202 returns \`id\` (\`run_…\`). 400 \`validation_error\` lists each wrong field in \`errors[]\` and has a runnable \`example\`: fix the body before you send it again. 402 \`insufficient_credits\`: stop and inform your user.

## 4. Wait

\`GET {base_url}/api/v1/executions/{id}\` with \`Prefer: wait=30\` returns when the run has ended, or after 30 seconds. Repeat until \`status\` is \`completed\`, \`partial_success\`, \`failed\` or \`cancelled\`; without the header, poll every 3 to 5 seconds.

## 5. Read

\`GET {base_url}/api/v1/executions/{id}/result\`: read \`result.by_key.<key>\`. \`cardinality\` \`single\` has \`value\` or \`url\`; \`multiple\` has \`items[]\`. Check \`state\` first: \`present\`, \`absent\` (a branch that was not taken), \`missing\` (it failed). If the run is a \`partial_success\`, use the present outputs and report \`diagnostics.warnings\` and \`error_code\`. \`GET …/trace\` shows the failed node and its error.

Many files at once: \`POST {base_url}/api/v1/executions/{id}/zip\`, poll \`GET …/zip/status\` until \`completed\`, then \`GET …/zip/{zip_id}/download\` for each of \`zips[]\` and follow the redirect.

Stop a run with \`POST {base_url}/api/v1/executions/{id}/cancel\`.
`,
  },
  {
    name: "upload-asset",
    description:
      "Store a file in an Edgeloom workspace and use it as the input of a workflow: upload it, keep its path, check a table before a run.",
    body: `# Upload an asset

${TOKEN}

## 1. Upload

\`\`\`sh
curl -s {base_url}/api/v1/assets -H "authorization: Bearer $TOKEN" -F "file=@products.csv"
\`\`\`

201 returns \`path\`, \`name\`, \`content_type\`, \`size_bytes\`. Keep \`path\` unchanged: it is the \`asset_path\` of an input. A file must not be larger than 250 MB. The extension decides the type and the bytes are inspected: \`invalid_file_type\` (400) is an extension that is not accepted, \`invalid_content\` (400) a file whose bytes do not match its extension. Do not rename a file to bypass the check. 402 \`quota_exceeded\`: inform your user, who decides about deletions.

Fonts are not assets: \`POST {base_url}/api/v1/fonts\` accepts a form with \`displayName\`, \`category\`, \`licenseAcknowledged\` and each TTF or OTF in the field \`files\`. Acknowledge a license only if your user has confirmed that they hold it. \`GET {base_url}/api/v1/fonts\` lists the available families, including system families.

Two uploads with the same name create two assets. \`GET {base_url}/api/v1/assets?name=products\` finds existing ones.

## 2. Inspect a table before you use it

\`\`\`sh
curl -s {base_url}/api/v1/structured-data/inspect -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' -d '{"asset_path": "assets/…/products.csv"}'
\`\`\`

Works for CSV, TSV, JSON, NDJSON and XLSX. It returns the exact \`row_count\`, \`columns[]\` with their types, a sample and \`warnings[]\`, and costs nothing. Read the warnings: on \`CSV_AMBIGUOUS_NUMBER\`, send \`locale\`. 422 \`ambiguous_table\`: send \`table\`.

## 3. Use it

\`\`\`json
{"workflow": "wf_…", "inputs": {"products": {"asset_path": "assets/…/products.csv"}}}
\`\`\`

An input accepts \`value\` or \`asset_path\`, never both. To send a set of files to a workflow with a bundle input, \`POST {base_url}/api/v1/bundle-manifests/compose\` creates the manifest; send it as JSON in \`value\`.

## 4. Download or delete it

\`GET {base_url}/api/v1/assets/download-url?path=…\` (the path URL-encoded) returns an address that needs no token: treat it as a secret. \`DELETE {base_url}/api/v1/assets?path=…\` is permanent: a later run that uses the path is rejected. Delete only files that you uploaded yourself.
`,
  },
  {
    name: "run-over-table",
    description:
      "Run an Edgeloom workflow once for each row of a CSV, TSV, JSON, NDJSON or XLSX file: profile the file, declare its columns, bound the run, submit, collect the rows' results.",
    body: `# Run over a table

${TOKEN}

## 1. Upload and profile

Upload the file with \`POST {base_url}/api/v1/assets\` and keep \`path\`. Then \`POST {base_url}/api/v1/structured-data/inspect\` with \`{"asset_path": "…"}\`: the exact \`row_count\`, \`columns[]\` (\`name\`, \`type\`, \`nullable\`) and \`warnings[]\`. Decide from the profile, not from the file's name:

- \`CSV_AMBIGUOUS_NUMBER\`: the column is text. Inspect again with the right locale, for example \`"locale": "de-DE"\`, and use the same locale in the node.
- \`CSV_WINDOWS_1252\`: the file is not UTF-8; check the sample for wrong letters.
- 422 \`ambiguous_table\`: send \`table\`, a path such as \`$.orders\` or a worksheet's name. 422 \`duplicate_column\`: two headers are the same; fix the file.
- Values with a leading zero are text.

## 2. Find a workflow for it, or create one

In a definition the file is an \`input/data\` node, and its \`dataset\` goes to \`enumerate/data_rows\`, which runs the following nodes once for each row:

\`\`\`json
{"id": "rows", "type": "enumerate/data_rows", "parameters": {"rowMapping": {"columns": [
  {"sourceColumn": "sku", "outputPort": "sku", "outputType": "text"},
  {"sourceColumn": "price", "outputPort": "price", "outputType": "number"},
  {"outputPort": "gross", "outputType": "number", "isComputed": true, "formula": "round(price * 1.2, 2)"}]}}}
\`\`\`

\`sourceColumn\` is a column's exact name in the profile. \`values\`, \`row_index\` and \`row_id\` are available without a declaration. \`aggregate/json\` collects the rows again. \`POST {base_url}/api/v1/workflows/validate\` reports every problem of a definition at once; then \`POST {base_url}/api/v1/workflows\` and \`POST {base_url}/api/v1/workflows/{id}/publish\`.

## 3. Limit the run

A node has at most 10,000 iterations. \`POST {base_url}/api/v1/workflows/{id}/estimate\` with the submit body counts the file's rows and returns the cost of the run; \`is_exact\` states whether the figure is exact. Send \`admission_limits.max_iterations_per_node\` with the submit: use \`row_count\`.

## 4. Submit and read

\`POST {base_url}/api/v1/executions\` with \`"inputs": {"<key>": {"asset_path": "…"}}\`, with the key in the workflow's \`execution_contract\`. The run reads the file as it was at submit: deleting the file before it is read fails the run.

An output with one value for each row has \`cardinality\` \`multiple\`; \`items[]\` are in the file's order and \`input_indices\` is the row, from 0. A row that fails keeps its position as \`unavailable\` and the run ends as \`partial_success\`; a cell that cannot be converted fails the whole table with \`TYPE_MISMATCH\`, with row and column in the message. \`GET {base_url}/api/v1/executions/{run_id}/trace/nodes/{node_id}/iterations\` lists the outcome of each row.
`,
  },
  {
    name: "receive-webhooks",
    description:
      "Receive a webhook when an Edgeloom execution ends instead of polling: create an endpoint, verify it, check signatures, retry missed deliveries.",
    body: `# Receive webhooks

${TOKEN}

Every change below needs an \`Idempotency-Key\` header of 8 to 255 characters; repeat a request with the same key.

## 1. Create, test, activate

\`\`\`sh
curl -s {base_url}/api/v1/webhooks/endpoints -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' -H "idempotency-key: $KEY" \\
  -d '{"name": "Mine", "url": "https://hooks.example.com/edgeloom"}'
\`\`\`

The response contains \`signing_secret\` only this once: store it as a secret, never in a log or a reply. The URL must be public \`https\` on port 443. Then \`POST …/endpoints/{endpoint_id}/test\`, which must return \`"outcome": "passed"\`, and \`POST …/endpoints/{endpoint_id}/activate\`.

## 2. Verify deliveries

Deliveries follow [Standard Webhooks](https://www.standardwebhooks.com): use its library with the secret. By hand: the key is the base64 after \`whsec_\`; sign \`webhook-id + "." + webhook-timestamp + "." + raw body\` with HMAC-SHA256 and compare its base64, in constant time, with each \`v1,…\` of \`webhook-signature\`. Reject timestamps that differ by more than 5 minutes. Verify the raw bytes, before parsing.

## 3. Respond, then process

Return any 2xx within 15 seconds and process the event afterwards. The same \`webhook-id\` may come more than once, and events may come out of order: keep the ids you have handled. The body is a CloudEvent of type \`com.svc.execution.finished.v1\`; \`data.execution_id\` and \`data.status\` identify the run and its outcome, \`data.result_url\` has the complete result. If \`data.outputs_truncated\` is true, read it.

## 4. Repair

Failed attempts are repeated for 24 hours. \`GET {base_url}/api/v1/webhooks/deliveries?status=exhausted\` lists deliveries without further attempts; \`POST …/deliveries/{delivery_id}/retry\` or \`/replay\` sends one again. A 410 response disables the endpoint.
`,
  },
];
