import { ApiError } from '../api/api.ts';
import type { BridgeError } from '../api/schemas.ts';
import { type TextKey, text } from './text.ts';

export interface FailureText {
  /** The headline of the failure. */
  readonly title: string;
  /** The effect on images and costs, or other useful facts. */
  readonly text: string;
  /** True if one press may send the same request again. */
  readonly mayRepeat: boolean;
  /** The earliest time for the next attempt in Unix milliseconds, if the bridge reports one. */
  readonly after: number | undefined;
}

type Failure = Pick<ApiError | BridgeError, 'code' | 'details' | 'retryable' | 'message'>;

/** Describes a failure that happened at the Unix time `at` in milliseconds. A reported wait starts at this time. */
export function toFailureText(failure: Failure, at: number): FailureText {
  const { code, details } = failure;
  const isUnknown = details['outcome'] === 'unknown';
  const wait = details['retry_after_ms'];
  const name = variant(failure);
  return {
    title: text(`failure.${name}.title` as TextKey),
    text: isUnknown ? text('failure.unknownOutcome') : text(`failure.${name}.text` as TextKey),
    mayRepeat: !isUnknown && (failure.retryable || code === 'cancelled'),
    after: typeof wait === 'number' ? at + wait : undefined,
  };
}

/** The variants of `overloaded` by reason, because the queue is not the only cause. */
const OVERLOADED: Readonly<Record<string, string>> = {
  circuit_open: 'paused',
  state_store_full: 'full',
  state_store_read_only: 'storage',
  state_store_failing: 'storage',
};

/** The variants of `artifact` by reason: a damaged image, or a folder that cannot be used. */
const ARTIFACT: Readonly<Record<string, string>> = {
  artifact_folder_full: 'unstored',
  artifact_folder_unusable: 'unusable',
};

/** Returns the text variant of a failure. Some error codes cover two causes that a user would distinguish. */
function variant(failure: Failure): string {
  const { code, details } = failure;
  if (code === 'cancelled' && details['reason'] === 'interrupted') return 'interrupted';
  if (code === 'rate_limited' && details['reason'] === 'quota') return 'quota';
  if (code === 'overloaded') return OVERLOADED[String(details['reason'])] ?? code;
  if (code === 'artifact') return ARTIFACT[String(details['reason'])] ?? code;
  if (code === 'authentication') {
    return failure instanceof ApiError && failure.status === 401 ? 'token' : 'login';
  }
  return code;
}
