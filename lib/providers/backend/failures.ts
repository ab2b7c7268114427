import * as v from 'valibot';
import { BridgeError, type Detail } from '../../errors/bridge-error.ts';
import type { CallEffect } from '../../errors/call-effect.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import type { CallFacts } from '../provider-port.ts';
import { optionalMember, Text } from './reply-members.ts';

/** The error that is created for one kind of backend failure. */
export interface FailureRow {
  readonly code: ErrorCode;
  readonly message: string;
  /** True if the call may be retried at once. */
  readonly transient?: boolean;
  readonly retryable?: boolean;
  /** Effect of the call at the backend. If absent, `effectOf` derives the effect from the code. */
  readonly effect?: CallEffect;
  readonly details?: { readonly [key: string]: Detail };
}

/** The kinds of failures that all backends share. */
export const FAILURES = {
  authentication: {
    code: 'provider_authentication',
    message: 'the backend rejected the credentials',
  },
  permission: {
    code: 'permission_denied',
    message: 'the account does not have permission for this request',
  },
  safety: { code: 'safety_rejected', message: 'the backend rejected the content' },
  rate: {
    code: 'rate_limited',
    message: 'the rate limit of the backend was exceeded',
    transient: true,
  },
  /** Every retry fails until the quota of the account is renewed. */
  quota: {
    code: 'rate_limited',
    message: 'the quota of the account is exhausted',
    retryable: false,
    details: { reason: 'quota' },
  },
  unsupported: {
    code: 'unsupported_capability',
    message: 'the backend does not support a parameter',
  },
  unknownModel: {
    code: 'unsupported_capability',
    message: 'the backend does not have this model',
  },
  /** A 404 reply that does not say whether the model or the URL is unknown. */
  unknownModelOrRoute: {
    code: 'unsupported_capability',
    message: 'the backend does not have this model, or `base_url` is wrong',
  },
  /** A router has the model, but found no upstream that accepts the call. The model must not leave a catalogue. */
  noUpstream: {
    code: 'unsupported_capability',
    message: 'no upstream of the backend serves this model with these parameters',
  },
  /** The backend rejected the request and reported no other known reason. */
  refused: {
    code: 'refused_by_provider',
    message: 'the backend rejected the request',
    details: { reason: 'refused_by_provider' },
  },
  input: { code: 'input', message: 'the backend cannot use an image in the request' },
  transient: {
    code: 'upstream',
    message: 'the backend failed temporarily',
    transient: true,
    retryable: true,
  },
  /** The backend may have generated and charged the image. */
  unknownOutcome: {
    code: 'upstream',
    message: 'the backend failed but may have generated the image',
    effect: 'unknown',
  },
  /** A complete reply without an image. The next request may succeed. */
  noImage: {
    code: 'upstream',
    message: 'the backend returned no image',
    retryable: false,
    details: { reason: 'no_image' },
  },
  other: { code: 'upstream', message: 'the backend failed', retryable: false },
} as const satisfies Record<string, FailureRow>;

/** A failure of one call, as the backend reports the failure. Only known codes and words become part of an error. */
export interface BackendFailure {
  readonly code?: string | undefined;
  /** The type of the failure, if the backend reports a type in addition to the code. */
  readonly type?: string | undefined;
  readonly moderationStage?: string | undefined;
  readonly moderationCategories?: readonly unknown[];
  /** Wait before a retry that the response headers request. */
  readonly retryAfterMs?: number | undefined;
  /** Time until the account's quota is renewed. */
  readonly resetsInMs?: number | undefined;
  /** The invalid field, under the bridge's name. */
  readonly field?: string | undefined;
}

const SHOWABLE_CODE = /^[A-Za-z0-9_-]{1,64}$/;
/** Rows that do not state a cause. Errors of these rows include the backend's own code. */
const SHOWS_CODE: ReadonlySet<FailureRow> = new Set([
  FAILURES.refused,
  FAILURES.noImage,
  FAILURES.other,
]);

/** Statuses that mean an invalid request unless the backend's code says otherwise. */
export const REQUEST_FAULTS: readonly number[] = [400, 413, 422];

const STATUS_ROWS: ReadonlyMap<number, FailureRow> = new Map<number, FailureRow>([
  [401, FAILURES.authentication],
  [402, FAILURES.quota],
  [403, FAILURES.permission],
  [408, FAILURES.unknownOutcome],
  [409, FAILURES.transient],
  [429, FAILURES.rate],
  [500, FAILURES.transient],
  [503, FAILURES.transient],
]);

/**
 * Returns the row for an HTTP status, or undefined if the row depends on the body. A 5xx other than 500 and 503 has an
 * unknown outcome because it may come from a proxy that lost its connection to the backend.
 */
export function rowOfStatus(status: number): FailureRow | undefined {
  return STATUS_ROWS.get(status) ?? (status > 500 ? FAILURES.unknownOutcome : undefined);
}

/** Creates the error for a failure. Includes the backend's own code only if the row does not name a cause. */
export function toError(row: FailureRow, failure: BackendFailure, request: CallFacts): BridgeError {
  const { code, message, transient = false, retryable, effect, details } = row;
  const { field, moderationStage, moderationCategories = [] } = failure;
  const shown = SHOWS_CODE.has(row) && SHOWABLE_CODE.test(failure.code ?? '');
  return new BridgeError(code, message, {
    ...(retryable === undefined ? {} : { retryable }),
    ...(effect === undefined ? {} : { effect }),
    ...(field === undefined ? {} : { param: field }),
    transient,
    details: {
      ...details,
      ...waitDetails(row, failure),
      ...(code === 'safety_rejected'
        ? safetyDetails(request, moderationStage, moderationCategories)
        : {}),
      ...(shown ? { upstream_code: failure.code } : {}),
      ...(field === undefined ? {} : { field }),
    },
  });
}

// Longer than a month, in which every quota is renewed. Some servers send dates that are far away.
const MAX_WAIT_MS = 32 * 24 * 3_600_000;

/**
 * Returns the wait before a retry as details of an error. For an exhausted quota, the renewal time takes precedence
 * over the header. For other failures, the header takes precedence. A wait of more than 32 days is reduced.
 */
function waitDetails(
  { code, transient = false }: FailureRow,
  { retryAfterMs, resetsInMs }: BackendFailure,
): { readonly [key: string]: Detail } {
  const isSpent = code === 'rate_limited' && !transient;
  const waitMs = isSpent ? (resetsInMs ?? retryAfterMs) : (retryAfterMs ?? resetsInMs);
  const hasWait = code === 'rate_limited' || transient;
  if (!hasWait || waitMs === undefined) return {};
  return { retry_after_ms: Math.min(waitMs, MAX_WAIT_MS) };
}

// About thirty years. Larger values are ignored because their milliseconds might not be exact.
const MAX_SECS = 1e9;

/** Combines the reported errors of one failure. Each member is taken from the first error that contains it. */
export function toBackendFailure(
  reported: readonly (BackendError | null | undefined)[],
  retryAfterMs?: number,
): BackendFailure {
  const errors = reported.filter((error) => error !== null && error !== undefined);
  const firstText = (name: 'code' | 'type' | 'moderation_stage') =>
    errors.map((error) => error[name]).find((text) => text) ?? undefined;
  const [resetsInSecs] = errors.flatMap((error) => error.resets_in_seconds ?? []);
  const isSensible = resetsInSecs !== undefined && resetsInSecs <= MAX_SECS;
  return {
    code: firstText('code') ?? firstText('type'),
    type: firstText('type'),
    moderationStage: firstText('moderation_stage'),
    moderationCategories: errors.flatMap((error) => error.moderation_categories ?? []),
    retryAfterMs,
    resetsInMs: isSensible ? Math.ceil(resetsInSecs * 1000) : undefined,
  };
}

export const errorEntries = {
  code: Text,
  moderation_stage: Text,
  moderation_categories: optionalMember(v.array(v.unknown())),
  resets_in_seconds: optionalMember(v.pipe(v.number(), v.minValue(0))),
};

/** An error as the backend sends it. An event of type `error` may contain the members of the error directly. */
export const BackendError = v.object({ ...errorEntries, type: Text });
export type BackendError = v.InferOutput<typeof BackendError>;

const ErrorBody = v.object({ error: BackendError });

/** Returns the error in the body of a failed response, or undefined if the body does not have the expected form. */
export function parseErrorBody(value: unknown): BackendError | undefined {
  const body = v.safeParse(ErrorBody, value);
  return body.success ? body.output.error : undefined;
}

const STAGES: readonly string[] = ['input', 'output', 'unknown'];
const CATEGORIES: readonly string[] = ['harassment', 'self-harm', 'sexual', 'violence'];

/**
 * Returns the details of a safety rejection. All providers use the same details. Unknown stages and categories are
 * omitted.
 */
export function safetyDetails(
  { parameters, images, references }: CallFacts,
  stage: string | undefined,
  categories: readonly unknown[],
): { readonly [key: string]: Detail } {
  const known = CATEGORIES.filter((category) => categories.includes(category));
  return {
    safety_category: 'content_policy',
    recovery: 'revise_prompt_or_inputs',
    retry_same_request: false,
    requested_moderation: parameters.moderation,
    input_images_present: images.length + references.length > 0,
    ...(stage !== undefined && STAGES.includes(stage) ? { moderation_stage: stage } : {}),
    ...(known.length > 0 ? { moderation_categories: known } : {}),
  };
}
