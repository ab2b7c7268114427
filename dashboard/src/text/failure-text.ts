import { ApiError } from '../api/api-error.ts';
import type { BridgeError } from '../api/schemas.ts';
import { type TextKey, text } from './text.ts';

export interface FailureText {
  /** What happened. */
  readonly title: string;
  /** Whether anything was made or paid, or what to know besides. */
  readonly text: string;
  /** Whether the same request may be sent again by one press. */
  readonly mayRepeat: boolean;
  /** Unix milliseconds from when on it may be, where the bridge says so. */
  readonly after: number | undefined;
}

type Failure = Pick<ApiError | BridgeError, 'code' | 'details' | 'retryable' | 'message'>;

/** A failure in words. `at` is when it happened, in Unix milliseconds; a wait counts from there. */
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

/** What keeps the bridge from taking work is not always its queue. */
const OVERLOADED: Readonly<Record<string, string>> = {
  circuit_open: 'paused',
  state_store_full: 'full',
  state_store_read_only: 'storage',
  state_store_failing: 'storage',
};

/** A stored image that is not as it was, or a folder that takes none. */
const ARTIFACT: Readonly<Record<string, string>> = {
  artifact_folder_full: 'unstored',
  artifact_folder_unusable: 'unusable',
};

/** Some codes cover what a person would call two things. */
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
