import type {
  CustomInterface,
  Definition,
  InterfaceField,
} from "../../../contracts/workflows/definition.ts";
import type { RunStart } from "../../../contracts/runs/run.ts";
import type { Plan } from "../../../engine/plan/plan.ts";
import { AppError, type FieldError } from "../../../lib/errors/errors.ts";
import { type JsonValue, parseJson, stringifyJson } from "../../../lib/json/exact-json.ts";
import { hasDefault } from "../../../nodes/define-node.ts";
import { unknownInterface } from "../../workflows/choose-interface.ts";
import { buildContract } from "../../workflows/contract/build-contract.ts";
import { fieldValueProblem } from "../../workflows/definition/field-value-problem.ts";
import { type InputPart, partsOfPlan } from "../../workflows/contract/interface-parts.ts";
import { readInputEntry } from "./read-input-entry.ts";
import { issueText } from "../../../lib/errors/issue-text.ts";
import { LIMITS } from "../../../lib/limits/limits-table.ts";

/** The inputs of a submit, validated and bound to nodes: the start values of a run. */
export type BoundInputs = Pick<
  RunStart,
  "interface_id" | "inputs" | "input_files" | "parameter_overrides" | "output_node_ids"
>;

/** A stored file for a run, not looked up yet. */
export interface AssetInput {
  readonly nodeId: string;
  readonly assetPath: string;
  /** JSON path of the reference, for messages. */
  readonly field: string;
  readonly extensions: readonly string[];
  /** Named by the workflow and not by the submit. */
  readonly isDefault?: true;
}

/** Everything that can be bound without a lookup. */
export type UnresolvedInputs = Omit<BoundInputs, "input_files"> & {
  readonly assets: readonly AssetInput[];
  /** Files that are known already. */
  readonly kept?: NonNullable<BoundInputs["input_files"]>;
};

/** Stored files of inputs that the submit names no value for, by input node. */
export type KeptFiles = ReadonlyMap<string, string>;

/** Values of inputs that the submit names no value for, as JSON text, by input node. They are not checked again. */
export type KeptValues = ReadonlyMap<string, string>;

const NONE: ReadonlyMap<string, string> = new Map();

export interface InputSubject {
  readonly workflowId: string;
  readonly definition: Definition;
  readonly plan: Plan;
}

const ERRORS_MAX = LIMITS.problems_reported.value;
/** Limits a problem's detail to a readable length; `example` has the complete text. */
const EXAMPLE_CHARS_MAX = 1000;
const KEY_CHARS_MAX = 80;

/**
 * Binds `inputs` of a submit to the workflow's input nodes and, through a custom interface, to node
 * parameters (docs/contract/executions.md#submit, docs/contract/workflows.md#interfaces). Throws
 * one `validation_error` with every problem, by canonical key, and with a runnable example.
 */
export function bindInputs(
  subject: InputSubject,
  interfaceId: string | null,
  given: { readonly [key: string]: JsonValue },
  files: KeptFiles = NONE,
  values: KeptValues = NONE,
): UnresolvedInputs {
  if (interfaceId === null) {
    return new DefaultBinding(subject, given, files, values).bind();
  }
  const entry = subject.definition.interfaces.find(({ id }) => id === interfaceId);
  if (entry === undefined) {
    throw unknownInterface(subject.definition.interfaces, interfaceId);
  }
  return new InterfaceBinding(subject, entry, given, files, values).bind();
}

/** Both kinds of binding collect errors and values; they differ in the meaning of a key. */
abstract class Binding {
  protected readonly subject: InputSubject;
  protected readonly given: { readonly [key: string]: JsonValue };
  protected readonly inputs: readonly InputPart[];
  protected readonly errors: FieldError[] = [];
  readonly #values = new Map<string, string>();
  readonly #assets: AssetInput[] = [];
  readonly #files: KeptFiles;
  readonly #keptValues: KeptValues;
  readonly #kept: { node_id: string; stored: string }[] = [];

  constructor(
    subject: InputSubject,
    given: { readonly [key: string]: JsonValue },
    files: KeptFiles,
    values: KeptValues,
  ) {
    this.subject = subject;
    this.given = given;
    this.#files = files;
    this.#keptValues = values;
    this.inputs = partsOfPlan(subject.plan).inputs;
  }

  protected abstract readonly entry: CustomInterface | undefined;

  protected finish(overrides: BoundInputs["parameter_overrides"]): UnresolvedInputs {
    if (this.errors.length > 0) {
      throw invalidInputs(this.subject, this.entry, this.errors);
    }
    return {
      interface_id: this.entry?.id ?? null,
      inputs: this.inputs.flatMap(({ nodeId }) => {
        const value_json = this.#values.get(nodeId);
        return value_json === undefined ? [] : [{ node_id: nodeId, value_json }];
      }),
      assets: this.#assets,
      ...(this.#kept.length > 0 && { kept: this.#kept }),
      parameter_overrides: overrides,
      output_node_ids: this.entry?.outputs.map(({ node }) => node) ?? null,
    };
  }

  /** The sent keys and values, until there are more problems than a response has room for. */
  protected *givenKeys(): Generator<string> {
    for (const key of Object.keys(this.given)) {
      if (this.errors.length >= ERRORS_MAX) {
        return;
      }
      yield key;
    }
  }

  protected fail(key: string, message: string): void {
    this.errors.push({ field: inputPath(key), message });
  }

  /**
   * The value under a key, undefined if there is none or it is wrong, which is noted. A stored file
   * is bound to the input at once. `kind` is the type of the key in the interface.
   */
  protected read(key: string, input: InputPart | undefined, kind: string): JsonValue | undefined {
    const entry = readInputEntry(inputPath(key), this.given[key] as JsonValue, kind);
    if ("assetPath" in entry) {
      this.#putAsset(`${inputPath(key)}.asset_path`, key, input, entry.assetPath);
      return undefined;
    }
    if ("error" in entry) {
      this.errors.push({
        ...entry.error,
        message: `Input "${shorten(key)}": ${entry.error.message}`,
      });
      return undefined;
    }
    return entry.value;
  }

  #putAsset(
    field: string,
    key: string,
    input: InputPart | undefined,
    assetPath: string,
    isDefault = false,
  ): void {
    const files = input?.type.files;
    if (input === undefined || files === undefined) {
      this.errors.push({
        field,
        message: `Input "${shorten(key)}": This input does not accept a stored file. Send its content as a JSON-encoded value.`,
      });
      return;
    }
    this.#assets.push({
      nodeId: input.nodeId,
      assetPath,
      field,
      extensions: files.extensions,
      ...(isDefault && { isDefault }),
    });
  }

  /** Checks a value like the input node does, and stores it. */
  protected put(key: string, input: InputPart, value: JsonValue): void {
    if (input.type.files?.isOnly === true) {
      this.fail(
        key,
        `Input "${shorten(key)}" accepts a stored file. Upload it and send {"asset_path": "…"} with the path.`,
      );
      return;
    }
    const parsed = input.type.parse(value, input.params);
    if ("problem" in parsed) {
      this.fail(key, `Input "${shorten(key)}": ${parsed.problem}`);
    } else {
      this.#values.set(input.nodeId, stringifyJson(parsed.value));
    }
  }

  /**
   * For an input without a key in the request: uses its default or leaves it absent, or reports it
   * as missing.
   */
  protected leaveOut(key: string, input: InputPart): void {
    const value = this.#keptValues.get(input.nodeId);
    if (value !== undefined) {
      this.#values.set(input.nodeId, value);
      return;
    }
    const stored = this.#files.get(input.nodeId);
    if (stored !== undefined) {
      this.#kept.push({ node_id: input.nodeId, stored });
      return;
    }
    const fallback = input.type.defaultValue(input.params);
    const path = input.type.files?.defaultPath(input.params);
    if (fallback !== undefined) {
      this.#values.set(input.nodeId, stringifyJson(fallback));
    } else if (path !== undefined) {
      this.#putAsset(inputPath(key), key, input, path, true);
    } else if (input.type.isRequired(input.params)) {
      this.missing(key);
    }
  }

  /** Whether the input has a value or a file that the submit does not name. */
  protected isKept(nodeId: string): boolean {
    return this.#files.has(nodeId) || this.#keptValues.has(nodeId);
  }

  protected missing(key: string): void {
    this.fail(key, `The required input "${shorten(key)}" is missing and has no default.`);
  }
}

/** Keys are port names, and node ids if no port has that name. */
class DefaultBinding extends Binding {
  protected override readonly entry = undefined;

  bind(): UnresolvedInputs {
    const byId = new Map(this.inputs.map((input) => [input.nodeId, input]));
    const byKey = new Map([...byId, ...this.inputs.map((input) => [input.name, input] as const)]);
    const names = this.inputs.map(({ name }) => name);
    const givenAs = new Map<InputPart, string>();
    for (const key of this.givenKeys()) {
      const input = byKey.get(key);
      if (input === undefined) {
        this.fail(key, unknownKey(key, names));
        continue;
      }
      const other = givenAs.get(input);
      if (other !== undefined) {
        this.fail(
          key,
          `"${shorten(other)}" and "${shorten(key)}" are the same input, by name and by node id. Send only "${shorten(input.name)}".`,
        );
        continue;
      }
      givenAs.set(input, key);
      const value = this.read(key, input, input.type.inputKind);
      if (value !== undefined) {
        this.put(key, input, value);
      }
    }
    for (const input of this.inputs) {
      if (!givenAs.has(input)) {
        this.leaveOut(input.name, input);
      }
    }
    return this.finish([]);
  }
}

/** Only the interface's field keys are accepted; unbound inputs use their defaults. */
class InterfaceBinding extends Binding {
  protected override readonly entry: CustomInterface;

  constructor(
    subject: InputSubject,
    entry: CustomInterface,
    given: { readonly [key: string]: JsonValue },
    files: KeptFiles,
    values: KeptValues,
  ) {
    super(subject, given, files, values);
    this.entry = entry;
  }

  bind(): UnresolvedInputs {
    const fields = new Map(this.entry.fields.map((field) => [field.key, field]));
    for (const key of this.givenKeys()) {
      if (!fields.has(key)) {
        this.fail(key, unknownKey(key, [...fields.keys()]));
      }
    }
    const byId = new Map(this.inputs.map((input) => [input.nodeId, input]));
    const overrides: BoundInputs["parameter_overrides"][number][] = [];
    for (const field of this.entry.fields) {
      const input = field.bind.parameter === undefined ? byId.get(field.bind.node) : undefined;
      if (input !== undefined) {
        byId.delete(field.bind.node);
      }
      const isGiven = Object.hasOwn(this.given, field.key);
      // docs/contract/workflows.md#interfaces: a field's default has priority over the node's.
      const value = isGiven
        ? this.read(field.key, input, field.type)
        : field.default_value === undefined || this.isKept(input?.nodeId ?? "")
          ? undefined
          : parseJson(field.default_value);
      if (value !== undefined) {
        overrides.push(...this.#set(field, input, value));
      } else if (!isGiven) {
        this.#leaveFieldOut(field, input);
      }
    }
    for (const input of byId.values()) {
      this.leaveOut(input.name, input);
    }
    return this.finish(overrides);
  }

  #leaveFieldOut(field: InterfaceField, input: InputPart | undefined): void {
    const isFilled =
      input !== undefined && (hasDefault(input.type, input.params) || this.isKept(input.nodeId));
    if (field.required && !isFilled) {
      this.missing(field.key);
    } else if (input !== undefined) {
      this.leaveOut(field.key, input);
    }
  }

  #set(
    field: InterfaceField,
    input: InputPart | undefined,
    value: JsonValue,
  ): BoundInputs["parameter_overrides"] {
    const problem = fieldValueProblem(field, value);
    if (problem !== undefined) {
      this.fail(field.key, `Input "${shorten(field.key)}" ${problem}.`);
      return [];
    }
    if (input !== undefined) {
      this.put(field.key, input, value);
      return [];
    }
    const { node: nodeId, parameter } = field.bind;
    const saved = this.subject.definition.nodes.find(({ id }) => id === nodeId);
    const node = this.subject.plan.nodes.find(({ id }) => id === nodeId);
    if (parameter === undefined || saved === undefined || node === undefined) {
      return [];
    }
    const parsed = node.type.params.safeParse(
      { ...saved.parameters, [parameter]: value },
      { error: issueText },
    );
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      this.fail(
        field.key,
        `Input "${shorten(field.key)}" is rejected by ${node.type.type}: ${issue?.message ?? "the value does not fit"}.`,
      );
      return [];
    }
    return [{ node_id: nodeId, parameter, value_json: stringifyJson(value) }];
  }
}

function unknownKey(key: string, known: readonly string[]): string {
  const keys = known.map((name) => JSON.stringify(name)).join(", ");
  return `"${shorten(key)}" is not an input of this workflow. ${
    known.length === 0 ? "It takes none." : `Its inputs: ${shorten(keys, EXAMPLE_CHARS_MAX)}.`
  }`;
}

/** docs/contract/executions.md#submit: the example is an `inputs` object, as the member `example` and in the detail. */
function invalidInputs(
  subject: InputSubject,
  entry: CustomInterface | undefined,
  errors: readonly FieldError[],
): AppError {
  const { primary } = buildContract({
    ...subject,
    pinnedVersion: undefined,
    // The contract's primary form uses a recommended interface, else the default one.
    definition: {
      ...subject.definition,
      interfaces: entry === undefined ? [] : [{ ...entry, is_default: true }],
    },
  });
  const example = primary.example.inputs;
  const shown = errors.slice(0, 5).map(({ message }) => message);
  const more = errors.length > shown.length ? ` (${String(errors.length)} problems in all)` : "";
  return new AppError(
    "validation_error",
    `${shown.join(" ")}${more} Inputs that would run: ${shorten(JSON.stringify(example), EXAMPLE_CHARS_MAX)}`,
    { errors: errors.slice(0, ERRORS_MAX), members: { example } },
  );
}

/** Like other field errors: `inputs.headline`, `inputs["a b"]`. */
function inputPath(key: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(key)
    ? `inputs.${shorten(key)}`
    : `inputs[${JSON.stringify(shorten(key))}]`;
}

/** For messages: shortened, without splitting a character. */
function shorten(text: string, charsMax = KEY_CHARS_MAX): string {
  return text.length > charsMax
    ? `${text.slice(0, charsMax).toWellFormed()}…`
    : text.toWellFormed();
}
