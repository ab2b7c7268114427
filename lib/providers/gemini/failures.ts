import * as v from 'valibot';
import type { BridgeError } from '../../errors/bridge-error.ts';
import { FAILURES, type FailureRow, REQUEST_FAULTS, toError } from '../backend/failures.ts';
import type { CallFacts } from '../provider-port.ts';

const { authentication, permission, safety, rate, quota, unsupported, input } = FAILURES;
const { unknownModel, refused, transient, unknownOutcome, noImage, other } = FAILURES;

/** Nothing was made, and the same call may succeed later. */
const TRANSIENT_STATUSES: readonly number[] = [409, 500, 503];
const REQUEST_TIMEOUT = 408;

const NO_MODERATION = { moderationStage: undefined, moderationCategories: [] };

/** Converts an error reply by its status. `error` is undefined if the body is not a Google error. */
export function toFailure(
  status: number,
  error: GoogleError | undefined,
  headerWaitMs: number | undefined,
  request: CallFacts,
): BridgeError {
  const row = rowOf(status, error, request);
  const failure = {
    ...NO_MODERATION,
    code: error?.status,
    // For an exhausted daily quota, the reported delay only says when the limits per minute are renewed.
    retryAfterMs: (row === quota ? undefined : error?.retryDelayMs) ?? headerWaitMs,
    resetsInMs: undefined,
  };
  const field = fieldOf(row, error, request);
  const failed = toError(row, failure, request);
  return field === undefined ? failed : failed.with({ param: field, details: { field } });
}

/** Creates the error of a complete reply without an image: rejected content, or another reason. */
export function withoutImage(
  refusedAt: 'input' | 'output' | undefined,
  reason: string | undefined,
  request: CallFacts,
): BridgeError {
  const failure = {
    ...NO_MODERATION,
    moderationStage: refusedAt,
    code: reason,
    retryAfterMs: undefined,
    resetsInMs: undefined,
  };
  return toError(refusedAt === undefined ? noImage : safety, failure, request);
}

function rowOf(status: number, error: GoogleError | undefined, request: CallFacts): FailureRow {
  if (status === 401 || error?.reasons.includes('API_KEY_INVALID')) return authentication;
  if (status === 402) return quota;
  if (status === 403) return permission;
  if (status === 404 && error?.status === 'NOT_FOUND') return unknownModel;
  if (status === 429) return error?.quotaIds.some((id) => /PerDay/.test(id)) ? quota : rate;
  if (TRANSIENT_STATUSES.includes(status)) return transient;
  if (status > 500 || status === REQUEST_TIMEOUT) return unknownOutcome;
  if (!REQUEST_FAULTS.includes(status)) return other;
  if (error?.status === 'FAILED_PRECONDITION') return permission;
  const [field] = error?.fields ?? [];
  if (field === undefined) return refused;
  const hasImages = request.images.length + request.references.length > 0;
  return hasImages && field.startsWith('contents') ? input : unsupported;
}

/** Returns the bridge's name of the invalid field. The API's names may be in snake case or camel case. */
function fieldOf(
  row: FailureRow,
  error: GoogleError | undefined,
  { parameters, images }: CallFacts,
): string | undefined {
  if (row === unknownModel) return 'routing.model';
  if (row === input) return images.length > 0 ? 'images' : 'reference_images';
  if (row !== unsupported) return undefined;
  const field = error?.fields[0]?.replaceAll('_', '').toLowerCase() ?? '';
  const hint = /(aspectratio|imagesize)$/.exec(field)?.[1];
  if (hint === undefined) return undefined;
  if (parameters.size !== 'auto') return 'parameters.size';
  return hint === 'aspectratio' ? 'parameters.aspect_ratio' : 'parameters.resolution';
}

/** Optional members. A malformed member is ignored and the rest of the error is still used. */
const Text = v.fallback(v.nullish(v.string()), undefined);

/**
 * One of the messages ErrorInfo, QuotaFailure, RetryInfo or BadRequest of `google.rpc`, which have no member names in
 * common.
 */
const Detail = v.object({
  reason: Text,
  retryDelay: Text,
  violations: v.fallback(v.nullish(v.array(v.object({ quotaId: Text }))), undefined),
  fieldViolations: v.fallback(v.nullish(v.array(v.object({ field: Text }))), undefined),
});

const ErrorBody = v.object({
  error: v.object({
    code: v.fallback(v.nullish(v.number()), undefined),
    status: Text,
    details: v.fallback(v.nullish(v.array(Detail)), undefined),
  }),
});

/** An error of a Google API (`google.rpc.Status` as JSON). */
export interface GoogleError {
  /** HTTP status. */
  readonly code: number | undefined;
  /** Name of the status, such as `INVALID_ARGUMENT`. */
  readonly status: string | undefined;
  readonly reasons: readonly string[];
  readonly quotaIds: readonly string[];
  /** Paths in the request, such as `generation_config.image_config.image_size`. */
  readonly fields: readonly string[];
  readonly retryDelayMs: number | undefined;
}

/** Parses a Google error. Returns undefined if the body has another form. */
export function parseGoogleError(body: unknown): GoogleError | undefined {
  const parsed = v.safeParse(ErrorBody, body);
  if (!parsed.success) return undefined;
  const { code, status, details } = parsed.output.error;
  const all = details ?? [];
  return {
    code: code ?? undefined,
    status: status ?? undefined,
    reasons: all.flatMap(({ reason }) => reason ?? []),
    quotaIds: all.flatMap(({ violations }) => violations ?? []).flatMap((it) => it.quotaId ?? []),
    fields: all
      .flatMap(({ fieldViolations }) => fieldViolations ?? [])
      .flatMap((it) => it.field ?? []),
    retryDelayMs: all.flatMap(({ retryDelay }) => toMilliseconds(retryDelay ?? '') ?? [])[0],
  };
}

/**
 * Converts a `google.protobuf.Duration` in JSON, which is a number of seconds with up to nine decimals, such as `3.5s`.
 */
function toMilliseconds(duration: string): number | undefined {
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(duration)?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}
