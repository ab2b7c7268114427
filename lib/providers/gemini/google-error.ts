import * as v from 'valibot';

/** Optional members. A malformed one is ignored, and the rest of the error still counts. */
const Text = v.fallback(v.nullish(v.string()), undefined);

/** Of `google.rpc`: an ErrorInfo, a QuotaFailure, a RetryInfo or a BadRequest, whose members have no name in common. */
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

/** An error of a Google API (google.rpc.Status as JSON). */
export interface GoogleError {
  /** As a status of HTTP. */
  readonly code: number | undefined;
  /** Such as `INVALID_ARGUMENT`. */
  readonly status: string | undefined;
  readonly reasons: readonly string[];
  readonly quotaIds: readonly string[];
  /** Paths in the request, such as `generation_config.image_config.image_size`. */
  readonly fields: readonly string[];
  readonly retryDelayMs: number | undefined;
}

/** Undefined when the body has not the form of an error. */
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

/** A `google.protobuf.Duration` as JSON: seconds with up to nine decimals, such as `3.5s`. */
function toMilliseconds(duration: string): number | undefined {
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(duration)?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}
