/** Decisions, report and checks of `audio/fit_duration` (docs/contract/media.md#speech). */
import type { AudioProcessingReport } from "../../contracts/media/audio-reports.ts";
import type { QualityCheck } from "../../contracts/quality-check.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { emptyMedia } from "../container/media-error.ts";
import { buildQualityCheck } from "./quality-report.ts";

/** Values of the inputs that came; undefined: not connected or absent. */
export interface FitInputs {
  readonly targetStart?: number | undefined;
  readonly targetEnd?: number | undefined;
  readonly targetDuration?: number | undefined;
}

export interface FitSettings {
  /** The parameter `target_duration`. */
  readonly savedDuration: number | undefined;
  readonly minSpeed: number;
  readonly maxSpeed: number;
  readonly onOutOfRange: "fail" | "clamp" | "warn";
  readonly padShort: boolean;
  readonly toleranceSeconds: number;
}

export interface FitTarget {
  readonly seconds: number;
  readonly source: "window" | "dynamic" | "saved";
}

const TARGET_MAX_SECONDS = LIMITS.decoded_duration.value / 1_000;
/** A difference that is made up with silence or a cut at the end. */
const UNCHANGED_SECONDS = 0.01;
/** Of quotients and differences of decimal fractions: 2.4 s at speed 0.8 last 3 s. */
const ROUNDING = 1e-9;
/** Bounds of what the stretch does at all. */
const SPEED_MIN = 0.25;
const SPEED_MAX = 4;

/** The duration to fit. Throws FIT_TARGET_INVALID and FIT_TARGET_MISSING. */
export function chooseTarget(inputs: FitInputs, saved: number | undefined): FitTarget {
  const { targetStart, targetEnd, targetDuration } = inputs;
  if ((targetStart === undefined) !== (targetEnd === undefined)) {
    const [present, absent] =
      targetStart === undefined ? ["target_end", "target_start"] : ["target_start", "target_end"];
    throw new NodeError(
      "FIT_TARGET_INVALID",
      `${present} has a value and ${absent} has none; a window needs both. Send both, or neither.`,
    );
  }
  if (targetStart !== undefined && targetEnd !== undefined) {
    return validTarget(targetEnd - targetStart, "window");
  }
  if (targetDuration !== undefined) {
    return validTarget(targetDuration, "dynamic");
  }
  if (saved !== undefined) {
    return validTarget(saved, "saved");
  }
  throw new NodeError(
    "FIT_TARGET_MISSING",
    "Neither target_start and target_end nor target_duration has a value. Send one, or set the parameter target_duration.",
  );
}

function validTarget(seconds: number, source: FitTarget["source"]): FitTarget {
  if (!Number.isFinite(seconds) || seconds <= 0 || seconds > TARGET_MAX_SECONDS) {
    throw new NodeError(
      "FIT_TARGET_INVALID",
      `The target is ${seconds} s${source === "window" ? " (target_end - target_start)" : ""}; it must be above 0 and at most ${TARGET_MAX_SECONDS} s. Send another one.`,
    );
  }
  return { seconds, source };
}

/** What is done with the frames of a sound. */
export interface Fit {
  readonly outcome: "unchanged" | "fitted" | "clamped" | "warned";
  readonly requestedSpeed: number;
  /** 1 where nothing is stretched. */
  readonly appliedSpeed: number;
  /** Frames of the result without padding; those of the input where nothing is stretched, at most the target. */
  readonly stretchedFrames: number;
  readonly paddedFrames: number;
  /** Frames of the whole result. */
  readonly frames: number;
}

/** Throws FIT_OUT_OF_RANGE, and MEDIA_EMPTY for a sound whose few samples rounded to none at a lower rate. */
export function decideFit(
  inputFrames: number,
  sampleRate: number,
  target: FitTarget,
  settings: FitSettings,
): Fit {
  if (inputFrames === 0) {
    throw emptyMedia("sound");
  }
  const targetFrames = Math.max(1, Math.round(target.seconds * sampleRate));
  const seconds = inputFrames / sampleRate;
  const requestedSpeed = seconds / target.seconds;
  if (Math.abs(seconds - target.seconds) <= UNCHANGED_SECONDS + ROUNDING) {
    return {
      outcome: "unchanged",
      requestedSpeed,
      appliedSpeed: 1,
      stretchedFrames: Math.min(inputFrames, targetFrames),
      paddedFrames: Math.max(0, targetFrames - inputFrames),
      frames: targetFrames,
    };
  }
  const { minSpeed, maxSpeed, onOutOfRange } = settings;
  const isWithin = isBetween(requestedSpeed, minSpeed, maxSpeed);
  const isPossible = isBetween(requestedSpeed, SPEED_MIN, SPEED_MAX);
  if (isWithin || (onOutOfRange === "warn" && isPossible)) {
    return {
      outcome: isWithin ? "fitted" : "warned",
      requestedSpeed,
      appliedSpeed: requestedSpeed,
      stretchedFrames: targetFrames,
      paddedFrames: 0,
      frames: targetFrames,
    };
  }
  if (onOutOfRange !== "clamp") {
    const [least, most] = onOutOfRange === "warn" ? [SPEED_MIN, SPEED_MAX] : [minSpeed, maxSpeed];
    throw new NodeError(
      "FIT_OUT_OF_RANGE",
      `${shown(seconds)} s would have to play at speed ${shown(requestedSpeed)} to last ${shown(target.seconds)} s; speeds from ${least} to ${most} are allowed. Change the target or the sound, or set on_out_of_range to clamp.`,
    );
  }
  const appliedSpeed = requestedSpeed < minSpeed ? minSpeed : maxSpeed;
  const stretchedFrames = Math.max(1, Math.round(inputFrames / appliedSpeed));
  const paddedFrames = settings.padShort ? Math.max(0, targetFrames - stretchedFrames) : 0;
  return {
    outcome: "clamped",
    requestedSpeed,
    appliedSpeed,
    stretchedFrames,
    paddedFrames,
    frames: stretchedFrames + paddedFrames,
  };
}

function isBetween(speed: number, least: number, most: number): boolean {
  return speed >= least - ROUNDING && speed <= most + ROUNDING;
}

function shown(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** The output `actual_duration`, in seconds with six decimals. */
export function actualDuration({ frames }: Fit, sampleRate: number): number {
  return shown(frames / sampleRate);
}

/** `results` of the processing report of `audio/fit_duration`. */
export function fitResults(fit: Fit, target: FitTarget): AudioProcessingReport["results"] {
  return {
    target_seconds: shown(target.seconds),
    target_source: target.source,
    requested_speed: shown(fit.requestedSpeed),
    applied_speed: shown(fit.appliedSpeed),
    outcome: fit.outcome,
    padded_samples: fit.paddedFrames,
  };
}

/** The checks of `audio/fit_duration`. */
export function checkFit(
  fit: Fit,
  target: FitTarget,
  sampleRate: number,
  settings: FitSettings,
): QualityCheck {
  const actual = actualDuration(fit, sampleRate);
  const { minSpeed, maxSpeed, toleranceSeconds } = settings;
  const speed = shown(fit.requestedSpeed);
  return buildQualityCheck("Fitted duration", [
    {
      id: "duration",
      // Half a microsecond for the six decimals of the duration.
      passed: Math.abs(actual - target.seconds) <= toleranceSeconds + 5e-7,
      severity: "error",
      measured: actual,
      expected: { target_seconds: shown(target.seconds), tolerance_seconds: toleranceSeconds },
      message: `The result has ${actual} s; ${shown(target.seconds)} ± ${toleranceSeconds} s is expected.`,
    },
    {
      id: "speed",
      passed: fit.outcome === "unchanged" || isBetween(fit.requestedSpeed, minSpeed, maxSpeed),
      severity: "warning",
      measured: speed,
      expected: { at_least: minSpeed, at_most: maxSpeed },
      message: `The target needs speed ${speed}; ${minSpeed} to ${maxSpeed} is expected.`,
    },
  ]);
}
