import type * as v from 'valibot';
import {
  invalidRequest,
  type RequestIssue,
  toRequestIssues,
} from '../../../lib/contract/schema/issues.ts';
import {
  parseWithLimits,
  type RequestLimits,
} from '../../../lib/contract/schema/request-limits.ts';
import type { BridgeError } from '../../../lib/errors/bridge-error.ts';

export const LIMITS: RequestLimits = {
  maxOutputs: 8,
  maxInputs: 4,
  maxTimeoutMs: 60_000,
  remoteInputs: false,
  providers: undefined,
};

/** Returns the issues in the error of a rejected value; empty for a valid value. */
export function issuesOf(
  schema: v.GenericSchema,
  value: unknown,
  limits = LIMITS,
): readonly RequestIssue[] {
  const error = errorOf(schema, value, limits);
  return (error?.details['issues'] ?? []) as unknown as RequestIssue[];
}

/** Returns `field: code` for each issue, for tables of cases. */
export function verdictOf(
  schema: v.GenericSchema,
  value: unknown,
  limits = LIMITS,
): readonly string[] {
  return issuesOf(schema, value, limits).map(({ field, code }) => `${field}: ${code}`);
}

export function errorOf(
  schema: v.GenericSchema,
  value: unknown,
  limits = LIMITS,
): BridgeError | undefined {
  const result = parseWithLimits(schema, value, limits);
  return result.issues && invalidRequest(toRequestIssues(result.issues));
}

export function outputOf(schema: v.GenericSchema, value: unknown, limits = LIMITS): unknown {
  const result = parseWithLimits(schema, value, limits);
  return result.issues ? undefined : result.value;
}
