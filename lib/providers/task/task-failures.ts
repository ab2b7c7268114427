import type { BridgeError } from '../../errors/bridge-error.ts';
import {
  FAILURES,
  type FailureRow,
  REQUEST_FAULTS,
  rowOfStatus,
  toError,
} from '../backend/failures.ts';
import { unknownOutcome } from '../failed-calls.ts';
import type { CallFacts } from '../provider-port.ts';
import type { TaskFailure } from './task-service.ts';

/** The kinds of failures that only tasks have. */
export const TASK_FAILURES = {
  /** The task ran and failed. No image was made, but the service may charge for the task. */
  failed: {
    code: 'upstream',
    message: 'the task failed at the backend',
    retryable: false,
    effect: 'made',
    details: { reason: 'task_failed' },
  },
  /** The service withdrew the task at the deadline of the call, before the task began. */
  notBegunInTime: {
    code: 'timeout',
    message: 'the backend did not begin the task before the deadline',
    effect: 'not_begun',
  },
  /** The content was rejected after an image had been made, which the service may charge. */
  safetyOfOutput: { ...FAILURES.safety, effect: 'made' },
} as const satisfies Record<string, FailureRow>;

const { authentication, permission, unknownModelOrRoute, refused, other } = FAILURES;

interface Refusal {
  readonly status: number;
  /** The failure in the body. Undefined if the body is not an error in the form of the service. */
  readonly failure: TaskFailure | undefined;
  /** Wait that the headers state. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Returns the error of a rejected submission. A status that may come from a proxy, and a server error without the JSON of
 * the service, have an unknown outcome, because the service may have accepted the task.
 */
export function toRefusal(
  { status, failure, retryAfterMs }: Refusal,
  request: CallFacts,
): BridgeError {
  const row = failure?.row ?? rowOfRefusal(status, failure !== undefined);
  if (row === undefined) return unknownOutcome('unexpected_status');
  const field = row === unknownModelOrRoute ? 'routing.model' : failure?.field;
  return failureError({ ...failure, row, ...(field ? { field } : {}) }, retryAfterMs, request);
}

function rowOfRefusal(status: number, isOfService: boolean): FailureRow | undefined {
  if (status === 408 || status < 300) return undefined;
  if (status === 404) return unknownModelOrRoute;
  if (status >= 500 && !isOfService) return undefined;
  const row = rowOfStatus(status);
  if (row === FAILURES.unknownOutcome) return undefined;
  return row ?? (REQUEST_FAULTS.includes(status) ? refused : other);
}

/**
 * Returns the error of a poll or of a result that the service rejects. The task was accepted, so the outcome is unknown unless the
 * service names the failure.
 */
export function toReadRefusal(
  { status, failure, retryAfterMs }: Refusal,
  request: CallFacts,
): BridgeError {
  if (failure?.row) return failureError({ ...failure, row: failure.row }, retryAfterMs, request);
  if (status === 401 || status === 403) {
    const row = status === 401 ? authentication : permission;
    return failureError({ row }, undefined, request).with({ effect: 'unknown' });
  }
  return unknownOutcome(status === 404 ? 'task_lost' : 'unexpected_status');
}

/** Returns the error of a failure that the service reports. */
export function failureError(
  failure: TaskFailure & { readonly row: FailureRow },
  retryAfterMs: number | undefined,
  request: CallFacts,
): BridgeError {
  const { row, code, field, moderationStage } = failure;
  const wait = failure.retryAfterMs ?? retryAfterMs;
  return toError(row, { code, field, moderationStage, retryAfterMs: wait }, request);
}

/** Returns true if a read with this status is repeated. */
export function isRepeatable(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}
