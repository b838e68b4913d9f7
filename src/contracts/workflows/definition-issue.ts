/**
 * Suggested fix for each code of a definition's problems (docs/contract/workflows.md#definitions
 * requires one for every problem), used where the check that found the problem has nothing more
 * exact.
 */
export const ISSUE_SUGGESTIONS = {
  AGGREGATE_INPUT_VARIES:
    "Feed the input from a node that does not iterate, or aggregate what feeds it first.",
  AI_INPUT_MISSING: "Connect one of the inputs that the message names, or choose a preset.",
  CACHE_NO_EFFECT:
    "Remove cache from the node, or set it on a node whose type is cacheable (GET /api/v1/node-types).",
  CALC_UNCONNECTED_VARIABLE:
    "Connect a number, boolean or json output to the input of that name, or take the variable out of the expression.",
  CONNECTION_COUNT: "Add or remove connections until the port has as many as it takes.",
  CONNECTION_TYPE_MISMATCH:
    "Connect an output of a type that the port takes, or put a node between them that converts the value.",
  CONTROL_OUT_OF_RANGE: "Set the control to a value in the range that the message names.",
  CONTROL_UNSUPPORTED:
    "Remove the connection to the control, or name a model whose controls have it.",
  CYCLE: "Remove one of the connections between the nodes of the cycle.",
  DEFINITION_TOO_LARGE: "Split the workflow into several smaller ones.",
  DUPLICATE_KEY: "Change or remove one of the two keys; without a key the label names the output.",
  DUPLICATE_NODE_ID: "Give this node an id of its own, and name that id in its connections.",
  INTERFACE_DUPLICATE_ID: "Leave the id of the copy out: the service gives it a new one.",
  INTERFACE_DUPLICATE_KEY: "Rename this key, or remove the entry.",
  INTERFACE_DUPLICATE_TARGET: "Remove this entry, or point it at another node or parameter.",
  INTERFACE_ENUM_WITHOUT_VALUES:
    "List the values to choose from in constraints.allowed_values, or make the field a text.",
  INTERFACE_FIELD_IS_NEEDED: "Make the field required, or give it a default_value.",
  INTERFACE_INVALID_CONSTRAINTS: "Set min to at most max, or leave one of them out.",
  INTERFACE_INVALID_DEFAULT:
    "Give as default_value the JSON text of a value that the field takes, or leave it out.",
  INTERFACE_INVALID_ID: "Leave the id out: the service gives one when the definition is saved.",
  INTERFACE_NOT_AN_INPUT:
    "Bind to an input node, or name one of this node's exposable parameters in bind.parameter.",
  INTERFACE_PARAMETER_NOT_EXPOSABLE:
    "Name a parameter that GET /api/v1/node-types/{category}/{name} marks as exposable.",
  INTERFACE_REQUIRED_INPUT_UNBOUND: "Bind a field to the input, or give the input a default.",
  INTERFACE_TWO_DEFAULTS: "Set is_default to false on all but one interface.",
  INTERFACE_TYPE_MISMATCH: "Give the field a type that its target takes.",
  INTERFACE_UNKNOWN_NODE:
    "Name the id of an input node, or a node and one of its exposable parameters.",
  INTERFACE_UNKNOWN_OUTPUT: "Name the id of a node whose type begins with output/.",
  INTERFACE_VALUE_NOT_ALLOWED: "Remove the values that the parameter does not take.",
  INVALID_FIELD: "Change the value to what the message says it must be.",
  INVALID_MODEL_PARAMETER:
    "Set the parameter as GET /api/v1/models/{model}/params-schema describes it, or leave it out.",
  INVALID_PARAMETER:
    "Set the parameter as GET /api/v1/node-types/{category}/{name} describes it, or leave it out where it is optional.",
  INVALID_SCHEMA:
    "Write a JSON Schema 2020-12 (2019-09 and draft-07 by $schema) with every $ref inside it.",
  INVALID_TEXT: "Write the whole character, or remove the half.",
  MERGE_PDF_ITERATED:
    "Make one PDF of the items with aggregate/pdf, and connect that, or connect a document that does not iterate.",
  MERGE_SCOPE_MISMATCH:
    "Aggregate the iterated inputs first, or feed the merge from one iteration only.",
  MODEL_NOT_AVAILABLE: "Name a model that GET /api/v1/models lists, or leave the model out.",
  MODEL_NOT_SUPPORTED:
    "Name a model that GET /api/v1/node-types/{category}/{name}/models lists for the node.",
  NO_OUTPUT: "Add an output node, for example output/text.",
  PORT_ALREADY_CONNECTED:
    "Remove one of the two connections, or join the values with a node that takes several.",
  PORT_NOT_CONNECTED: "Connect an output to the input, or remove the node.",
  REFERENCE_NOT_FOUND: "Name something that this workspace has, or create it first.",
  REQUIRED_FIELD: "Add the member to the definition.",
  SCHEMA_OPERATION_LIMIT:
    "Simplify the schema or shorten the default, and let each $ref go down into the value.",
  TEXT_TEMPLATE_MISSING_TEMPLATE:
    'Set the parameter template, for example "Hello [name]", or connect a text to the input template.',
  TIMELINE_SCOPE_MISMATCH:
    "Feed clips, cue_id, start, end and speaker from one iteration, and timeline_duration from a node that does not iterate.",
  UNKNOWN_FIELD: "Remove it, or check its spelling.",
  UNKNOWN_EFFECT: "Use one of the codes that GET /api/v1/effects lists, or leave it out.",
  UNKNOWN_NODE: "Name the id of one of the definition's nodes, or remove the connection.",
  UNKNOWN_NODE_TYPE: "Use one of the types that GET /api/v1/node-types lists.",
  UNKNOWN_PRESET: "Use one of the codes that GET /api/v1/presets lists, or leave it out.",
  UNKNOWN_VOICE: "Use one of the voices that the message lists, or leave the voice out.",
  UNUSED_NODE: "Connect one of its outputs, or remove the node.",
  internal_template_parameter:
    "Remove the parameter. The service keeps what it stands for with the published version.",
  invalid_dynamic_config:
    "Change the parameter as the message says: the ports of the node are made from it.",
  invalid_template_id:
    "Give the id that GET /api/v1/design-templates lists, `tpl_` and 32 hexadecimal digits.",
  invalid_template_revision:
    "Give the number of a published revision, from 1, or leave the parameter out.",
  missing_template_id: "Set template_id to the id of a template of this workspace.",
  template_field_not_connected:
    "Connect an output to the field's port, or give the field a default in the template.",
  template_not_found:
    "Name a template of this workspace, and publish it where the node prints a revision.",
  template_pin_failed:
    "Save the node with another revision of the template, or publish the template again.",
  template_revision_not_found:
    "Choose one of the revisions that GET /api/v1/design-templates/{id}/versions lists.",
  unknown_port: "Connect one of the ports that the message lists.",
} as const satisfies Readonly<Record<string, string>>;

/**
 * Every code that validation of a definition can return. The codes are the keys of the suggestions,
 * so each of them has one.
 */
export type IssueCode = keyof typeof ISSUE_SUGGESTIONS;
