/** The controls of a voice: what is connected or saved, and whether the model has it (docs/contract/models.md#sounds). */
import type { ReferencedModel } from "../contracts/models/model-calls.ts";
import { VOICE_CONTROLS, type VoiceControl } from "../contracts/models/model.ts";
import { ExactNumber } from "../lib/json/exact-json.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import type { ConnectedPort, NodeInputs, ParameterIssue } from "./define-ports.ts";

export type SavedControls = Readonly<
  Partial<Record<"voice" | "language" | "emotion", string | null | undefined>> &
    Partial<Record<"speed" | "pitch", number | null | undefined>>
>;

/** A control as it is sent, and where its value is from. A null value is left to the model. */
export interface ControlValue {
  readonly value: string | number | null;
  readonly source: "input" | "parameter" | "model_default";
}

export type ControlValues = Readonly<Partial<Record<VoiceControl, ControlValue>>>;

interface Problem {
  readonly code: "CONTROL_UNSUPPORTED" | "CONTROL_OUT_OF_RANGE" | "UNKNOWN_VOICE";
  readonly message: string;
}

const VOICES_LISTED = 20;

function has({ controls }: ReferencedModel, control: VoiceControl): boolean {
  return controls.includes(control);
}

function unsupported({ model, controls }: ReferencedModel, control: VoiceControl): Problem {
  return {
    code: "CONTROL_UNSUPPORTED",
    message: `The port "${control}" is connected, and the model "${model}" does not have this control. It has: ${controls.length === 0 ? "none" : controls.join(", ")}.`,
  };
}

/** Why a model does not accept a value; undefined if it does, or if nobody knows. */
function problemOf(
  model: ReferencedModel,
  control: VoiceControl,
  value: string | number,
): Problem | undefined {
  const range = model.control_ranges?.[control];
  if (typeof value === "number" && range !== undefined && (value < range[0] || value > range[1])) {
    return {
      code: "CONTROL_OUT_OF_RANGE",
      message: `${control} is ${value}, and the model "${model.model}" accepts ${range[0]} to ${range[1]}.`,
    };
  }
  const { voices } = model;
  if (control === "voice" && voices.length > 0 && !voices.includes(String(value))) {
    const listed = voices.slice(0, VOICES_LISTED).join(", ");
    const more = voices.length > VOICES_LISTED ? ", and others" : "";
    return {
      code: "UNKNOWN_VOICE",
      message: `The model "${model.model}" has the voices ${listed}${more}.`,
    };
  }
  return undefined;
}

/**
 * Issues of a definition: connected controls that a model of the chain does not have, and saved values that it does not
 * accept. A fallback may have other voices than the first model; it then speaks with its own.
 */
export function controlIssues(
  chain: readonly ReferencedModel[],
  saved: SavedControls,
  connected: readonly ConnectedPort[],
): ParameterIssue[] {
  return chain.flatMap((model, at) =>
    VOICE_CONTROLS.flatMap((control): readonly ParameterIssue[] => {
      if (connected.some(({ port }) => port === control)) {
        const path = at === 0 ? "model" : `fallback_models[${at - 1}]`;
        return has(model, control) ? [] : [{ path, ...unsupported(model, control) }];
      }
      const value = saved[control] ?? null;
      const problem =
        value === null || !has(model, control) || (at > 0 && control === "voice")
          ? undefined
          : problemOf(model, control, value);
      return problem === undefined ? [] : [{ path: control, ...problem }];
    }),
  );
}

/**
 * The value of each control that a model has. Throws NodeError `CONTROL_UNSUPPORTED`, `CONTROL_OUT_OF_RANGE` or
 * `UNKNOWN_VOICE` before anything is sent.
 */
export function controlsFor(
  model: ReferencedModel,
  saved: SavedControls,
  inputs: NodeInputs,
  isFallback: boolean,
): ControlValues {
  const values: Partial<Record<VoiceControl, ControlValue>> = {};
  for (const control of VOICE_CONTROLS) {
    const isConnected = inputs.has(control);
    if (!has(model, control)) {
      if (isConnected) {
        throw failure(unsupported(model, control));
      }
      continue;
    }
    const value = isConnected ? inputValue(inputs, control) : (saved[control] ?? null);
    const problem = value === null ? undefined : problemOf(model, control, value);
    if (problem?.code === "UNKNOWN_VOICE" && isFallback && !isConnected) {
      values[control] = defaultOf(model, control);
      continue;
    }
    if (problem !== undefined) {
      throw failure(problem);
    }
    values[control] =
      value === null
        ? defaultOf(model, control)
        : { value, source: isConnected ? "input" : "parameter" };
  }
  return values;
}

function inputValue(inputs: NodeInputs, control: VoiceControl): string | number {
  const value = inputs.get(control);
  return value instanceof ExactNumber ? value.toNumber() : (value as string | number);
}

/** Without a voice the first of the list speaks. */
function defaultOf({ voices }: ReferencedModel, control: VoiceControl): ControlValue {
  const value = control === "voice" ? (voices[0] ?? null) : (NEUTRAL[control] ?? null);
  return { value, source: "model_default" };
}

const NEUTRAL: Readonly<Partial<Record<VoiceControl, number>>> = { speed: 1, pitch: 0 };

function failure({ code, message }: Problem): NodeError {
  return new NodeError(code, message);
}
