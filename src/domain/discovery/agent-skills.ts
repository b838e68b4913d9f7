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

const TOKEN = `Get a token once and keep it for the hour it lives:

\`\`\`sh
TOKEN=$(curl -s -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials \\
  {base_url}/api/v1/auth/token | jq -r .access_token)
\`\`\`

Send it as \`Authorization: Bearer $TOKEN\`. On 401 \`unauthorized\` get another. On 429 and 503 wait as many seconds as \`Retry-After\` says.`;

export const AGENT_SKILLS: readonly AgentSkill[] = [
  {
    name: "run-workflow",
    description:
      "Run a published Edgeloom workflow and read its results: find the input keys, submit once, poll until it has ended, fetch outputs or one ZIP.",
    body: `# Run a workflow

${TOKEN}

## 1. Learn what to send

\`GET {base_url}/api/v1/workflows?status=published\` lists workflows; \`GET {base_url}/api/v1/workflows/{id}\` has \`execution_contract\`. Copy \`execution_contract.primary.example\`: it is a whole submit body. If \`primary.interface\` is there, send it too. Never guess input keys.

A \`value\` is JSON **as a string**: the text \`hello\` is \`"value": "\\"hello\\""\`, the number 3 is \`"value": "3"\`. A stored file is sent as \`asset_path\` instead.

## 2. Know what it may cost

\`POST {base_url}/api/v1/workflows/{id}/estimate\` takes the submit body and runs nothing. Bound what you start: \`"admission_limits": {"max_iterations_per_node": 100, "max_admitted_milli_credits": 5000}\` (1000 milli-credits are one credit). Send \`X-Client-Kind: agent\`: a workflow whose fan-out is known only in the run then needs \`max_iterations_per_node\`.

## 3. Submit once

\`\`\`sh
curl -s {base_url}/api/v1/executions -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' -H 'x-client-kind: agent' -H "idempotency-key: $KEY" -d @body.json
\`\`\`

Choose \`$KEY\` (8 to 255 characters) before the first try and keep it for every repeat of the same submit: a repeat answers the same run and costs nothing. 202 answers \`id\` (\`run_…\`). 400 \`validation_error\` names each wrong field in \`errors[]\` and holds a runnable \`example\`: mend the body, do not repeat it. 402 \`insufficient_credits\`: stop and tell your user.

## 4. Wait

\`GET {base_url}/api/v1/executions/{id}\` with \`Prefer: wait=30\` answers when the run has ended or 30 seconds have passed. Repeat until \`status\` is \`completed\`, \`partial_success\`, \`failed\` or \`cancelled\`; without the header poll every 3 to 5 seconds.

## 5. Read

\`GET {base_url}/api/v1/executions/{id}/result\`: read \`result.by_key.<key>\`. \`cardinality\` \`single\` has \`value\` or \`url\`; \`multiple\` has \`items[]\`. Look at \`state\` first: \`present\`, \`absent\` (a branch that was not taken), \`missing\` (it failed). Of a \`partial_success\` use what is present and report \`diagnostics.warnings\` and \`error_code\`. \`GET …/trace\` says which node failed, and why.

Many files at once: \`POST {base_url}/api/v1/executions/{id}/zip\`, poll \`GET …/zip/status\` until \`completed\`, then \`GET …/zip/{zip_id}/download\` for each of \`zips[]\` and follow the redirect.

Stop a run with \`POST {base_url}/api/v1/executions/{id}/cancel\`.
`,
  },
  {
    name: "upload-asset",
    description:
      "Store a file in an Edgeloom workspace and use it as the input of a workflow: upload it, keep its path, check a table before running over it.",
    body: `# Upload an asset

${TOKEN}

## 1. Upload

\`\`\`sh
curl -s {base_url}/api/v1/assets -H "authorization: Bearer $TOKEN" -F "file=@products.csv"
\`\`\`

201 answers \`path\`, \`name\`, \`content_type\`, \`size_bytes\`. Keep \`path\` exactly as it is: it is the \`asset_path\` of an input. Files have at most 250 MB. The extension decides the type and the bytes are inspected: \`invalid_file_type\` (400) is an extension that is not taken, \`invalid_content\` (400) a file that is not what its name says. Do not rename a file to get it in. 402 \`quota_exceeded\`: tell your user; deleting is theirs to decide.

Fonts are not assets: \`POST {base_url}/api/v1/fonts\` takes a form with \`displayName\`, \`category\`, \`licenseAcknowledged\` and each TTF or OTF in the field \`files\`. Acknowledge a licence only when your user has said that they hold it. \`GET {base_url}/api/v1/fonts\` lists what there is already, families of the system included.

The same name twice makes two assets. \`GET {base_url}/api/v1/assets?name=products\` finds what is there already.

## 2. Look into a table before you run over it

\`\`\`sh
curl -s {base_url}/api/v1/structured-data/inspect -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' -d '{"asset_path": "assets/…/products.csv"}'
\`\`\`

CSV, TSV, JSON, NDJSON and XLSX. It answers the exact \`row_count\`, \`columns[]\` with their types, a sample and \`warnings[]\`, and costs nothing. Read the warnings: \`CSV_AMBIGUOUS_NUMBER\` says to send \`locale\`. 422 \`ambiguous_table\`: send \`table\`.

## 3. Use it

\`\`\`json
{"workflow": "wf_…", "inputs": {"products": {"asset_path": "assets/…/products.csv"}}}
\`\`\`

One input takes \`value\` or \`asset_path\`, never both. To hand a set of files to a workflow with a bundle input, \`POST {base_url}/api/v1/bundle-manifests/compose\` makes the manifest; send it as JSON in \`value\`.

## 4. Get it back

\`GET {base_url}/api/v1/assets/download-url?path=…\` (the path URL-encoded) answers an address that needs no token: treat it as a secret. \`DELETE {base_url}/api/v1/assets?path=…\` is for good: a later run that names the path is refused. Delete only what you uploaded yourself.
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

- \`CSV_AMBIGUOUS_NUMBER\`: the column stays text. Inspect again with \`"locale": "de-DE"\` or whatever fits, and use the same in the node.
- \`CSV_WINDOWS_1252\`: the file is no UTF-8; look at the sample for wrong letters.
- 422 \`ambiguous_table\`: send \`table\`, a path such as \`$.orders\` or a worksheet's name. 422 \`duplicate_column\`: two headers are the same; the file has to be mended.
- Values with a leading zero are text, and stay so.

## 2. Find a workflow for it, or make one

In a definition the file is an \`input/data\` node, and its \`dataset\` goes to \`enumerate/data_rows\`, which runs what follows once for each row:

\`\`\`json
{"id": "rows", "type": "enumerate/data_rows", "parameters": {"rowMapping": {"columns": [
  {"sourceColumn": "sku", "outputPort": "sku", "outputType": "text"},
  {"sourceColumn": "price", "outputPort": "price", "outputType": "number"},
  {"outputPort": "gross", "outputType": "number", "isComputed": true, "formula": "round(price * 1.2, 2)"}]}}}
\`\`\`

\`sourceColumn\` is a column's exact name in the profile. \`values\`, \`row_index\` and \`row_id\` are there without being declared. \`aggregate/json\` gathers the rows again. \`POST {base_url}/api/v1/workflows/validate\` names everything that is wrong with a definition at once; then \`POST {base_url}/api/v1/workflows\` and \`POST {base_url}/api/v1/workflows/{id}/publish\`.

## 3. Bound it

A node has at most 10,000 iterations. \`POST {base_url}/api/v1/workflows/{id}/estimate\` with the submit body counts the file's rows and says what the run may cost; \`is_exact\` says whether that is certain. Send \`admission_limits.max_iterations_per_node\` with the submit: \`row_count\` is the right figure.

## 4. Submit and read

\`POST {base_url}/api/v1/executions\` with \`"inputs": {"<key>": {"asset_path": "…"}}\`, as the workflow's \`execution_contract\` names the key. The run reads the bytes that were there at submit: a file that is deleted meanwhile fails it.

An output that stands once for each row has \`cardinality\` \`multiple\`; \`items[]\` are in the file's order and \`input_indices\` is the row, from 0. A row that fails keeps its place as \`unavailable\` and the run ends \`partial_success\`; a cell that cannot be converted fails the whole table with \`TYPE_MISMATCH\` and names row and column. \`GET {base_url}/api/v1/executions/{run_id}/trace/nodes/{node_id}/iterations\` lists how each row fared.
`,
  },
  {
    name: "receive-webhooks",
    description:
      "Receive a webhook when an Edgeloom execution ends instead of polling: create an endpoint, verify it, check signatures, retry missed deliveries.",
    body: `# Receive webhooks

${TOKEN}

Every change below carries an \`Idempotency-Key\` header of 8 to 255 characters; repeat a request with the key it had.

## 1. Create, test, activate

\`\`\`sh
curl -s {base_url}/api/v1/webhooks/endpoints -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' -H "idempotency-key: $KEY" \\
  -d '{"name": "Mine", "url": "https://hooks.example.com/edgeloom"}'
\`\`\`

The answer shows \`signing_secret\` this once: store it as a secret, never in a log or a reply. The URL must be public \`https\` on port 443. Then \`POST …/endpoints/{endpoint_id}/test\`, which must answer \`"outcome": "passed"\`, and \`POST …/endpoints/{endpoint_id}/activate\`.

## 2. Verify what arrives

Deliveries follow [Standard Webhooks](https://www.standardwebhooks.com): use its library with the secret. By hand: the key is the base64 after \`whsec_\`; sign \`webhook-id + "." + webhook-timestamp + "." + raw body\` with HMAC-SHA256 and compare its base64, in constant time, with each \`v1,…\` of \`webhook-signature\`. Refuse timestamps more than 5 minutes away. Verify the bytes as they came, before parsing.

## 3. Answer, then work

Answer any 2xx within 15 seconds and work afterwards. The same \`webhook-id\` may come more than once, and events may come out of order: keep the ids you have handled. The body is a CloudEvent of type \`com.svc.execution.finished.v1\`; \`data.execution_id\` and \`data.status\` say what ended, \`data.result_url\` has everything. If \`data.outputs_truncated\` is true read the result.

## 4. Repair

Failed attempts are repeated for 24 hours. \`GET {base_url}/api/v1/webhooks/deliveries?status=exhausted\` lists what was given up; \`POST …/deliveries/{delivery_id}/retry\` or \`/replay\` sends it again. Answering 410 disables the endpoint.
`,
  },
];
