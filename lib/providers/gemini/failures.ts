import * as v from 'valibot';
import type { BridgeError } from '../../errors/bridge-error.ts';
import {
  FAILURES,
  type FailureRow,
  REQUEST_FAULTS,
  rowOfStatus,
  toError,
} from '../backend/failures.ts';
import { optionalMember, Text } from '../backend/reply-members.ts';
import type { CallFacts } from '../provider-port.ts';

const { authentication, permission, safety, quota, unsupported, input } = FAILURES;
const { unknownModel, refused, noImage, other } = FAILURES;

/** Converts an error reply by its status. `error` is undefined if the body is not a Google error. */
export function toFailure(
  status: number,
  error: GoogleError | undefined,
  headerWaitMs: number | undefined,
  request: CallFacts,
): BridgeError {
  const row = rowOf(status, error, request);
  // For an exhausted daily quota, the reported delay only says when the limits per minute are renewed.
  const bodyWaitMs = row === quota ? undefined : error?.retryDelayMs;
  const field = fieldOf(row, error, request);
  return toError(
    row,
    { code: error?.status, retryAfterMs: bodyWaitMs ?? headerWaitMs, field },
    request,
  );
}

/** Creates the error of a complete reply without an image: rejected content, or another reason. */
export function withoutImage(
  refusedAt: 'input' | 'output' | undefined,
  reason: string | undefined,
  request: CallFacts,
): BridgeError {
  const row = refusedAt === undefined ? noImage : safety;
  return toError(row, { code: reason, moderationStage: refusedAt }, request);
}

function rowOf(status: number, error: GoogleError | undefined, request: CallFacts): FailureRow {
  if (error?.reasons.includes('API_KEY_INVALID')) return authentication;
  if (status === 404 && error?.status === 'NOT_FOUND') return unknownModel;
  if (status === 429 && error?.quotaIds.some((id) => /PerDay/.test(id))) return quota;
  const row = rowOfStatus(status);
  if (row) return row;
  if (!REQUEST_FAULTS.includes(status)) return other;
  if (error?.status === 'FAILED_PRECONDITION') return permission;
  const [field] = error?.fields ?? [];
  if (field === undefined) return refused;
  const hasImages = request.images.length + request.references.length > 0;
  return hasImages && field.startsWith('contents') ? input : unsupported;
}

/**
 * Returns the bridge's name of the invalid field. The API's names may be in snake case or camel case. Returns undefined if the
 * error names no field of the bridge.
 */
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

/**
 * One of the messages ErrorInfo, QuotaFailure, RetryInfo or BadRequest of `google.rpc`, which have no member names in
 * common.
 */
const Detail = v.object({
  reason: Text,
  retryDelay: Text,
  violations: optionalMember(v.array(v.object({ quotaId: Text }))),
  fieldViolations: optionalMember(v.array(v.object({ field: Text }))),
});

const ErrorBody = v.object({
  error: v.object({
    code: optionalMember(v.number()),
    status: Text,
    details: optionalMember(v.array(Detail)),
  }),
});

/** An error of a Google API (`google.rpc.Status` as JSON). */
export type GoogleError = NonNullable<ReturnType<typeof parseGoogleError>>;

/** Parses a Google error. Returns undefined if the body has another form. */
export function parseGoogleError(body: unknown) {
  const parsed = v.safeParse(ErrorBody, body);
  if (!parsed.success) return undefined;
  const { code, status, details } = parsed.output.error;
  const all = details ?? [];
  const violations = all.flatMap((detail) => detail.violations ?? []);
  const fieldViolations = all.flatMap((detail) => detail.fieldViolations ?? []);
  return {
    /** HTTP status. */
    code: code ?? undefined,
    /** Name of the status, such as `INVALID_ARGUMENT`. */
    status: status ?? undefined,
    reasons: all.flatMap(({ reason }) => reason ?? []),
    quotaIds: violations.flatMap(({ quotaId }) => quotaId ?? []),
    /** Paths in the request, such as `generation_config.image_config.image_size`. */
    fields: fieldViolations.flatMap(({ field }) => field ?? []),
    retryDelayMs: all.flatMap(({ retryDelay }) => toMilliseconds(retryDelay ?? '') ?? [])[0],
  };
}

/**
 * Converts a `google.protobuf.Duration` in JSON, which is a number of seconds with up to nine decimals, such as `3.5s`. Returns
 * undefined if the value has another form.
 */
function toMilliseconds(duration: string): number | undefined {
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(duration)?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}
