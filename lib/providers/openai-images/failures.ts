import * as v from 'valibot';
import type { BridgeError } from '../../errors/bridge-error.ts';
import {
  type BackendFailure,
  FAILURES,
  type FailureRow,
  REQUEST_FAULTS,
  toError,
} from '../backend/failures.ts';
import type { CallFacts } from '../provider-port.ts';
import type { Dialect } from './dialects.ts';

const { authentication, permission, safety, rate, quota, unsupported, input } = FAILURES;
const { unknownModel, unknownModelOrRoute, refused } = FAILURES;

/** Rows whose error names the field at fault. */
const WITH_FIELD: ReadonlySet<FailureRow> = new Set([unsupported, input, refused]);
const ABOUT_MODEL: ReadonlySet<FailureRow> = new Set([unknownModel, unknownModelOrRoute]);

/** What the names of errors mean (more-providers.md 2, "Failures"). */
const NAMED: ReadonlyMap<string, FailureRow> = new Map<string, FailureRow>([
  ['moderation_blocked', safety],
  ['content_policy_violation', safety],
  ['content_filter', safety],
  ['contentFilter', safety],
  ['ResponsibleAIPolicyViolation', safety],
  ['ContentPolicyViolationError', safety],
  ['invalid_api_key', authentication],
  ['model_not_found', unknownModel],
  ['DeploymentNotFound', unknownModel],
  ['unknown_parameter', unsupported],
  ['invalid_value', unsupported],
  ['invalid_input_fidelity_model', unsupported],
  ['invalid_image_file', input],
  ['insufficient_quota', quota],
  ['credit_balance_exhausted', quota],
  ['billing_hard_limit_reached', quota],
  ['rate_limit_exceeded', rate],
]);
const QUOTA_NAME = /_(?:spend|usage)_limit_exceeded$/;
/** Without a status these say what a 500 or a 503 would. */
const SERVER_FAILED: ReadonlySet<string> = new Set(['server_error', 'service_unavailable']);
/** Without a status these say what a 400 would. */
const REQUEST_FAILED: ReadonlySet<string> = new Set([
  'invalid_request_error',
  'image_generation_user_error',
]);

const TRANSIENT_STATUSES: readonly number[] = [409, 500, 503];
const REQUEST_TIMEOUT = 408;

/** What the head of a refusal says. */
export interface RefusalHead {
  /** 2xx for an error in place of a reply, or inside of one. */
  readonly status: number;
  readonly waitMs: number | undefined;
  /** The server says that the call is not to be repeated. */
  readonly forbidsRepeat: boolean;
}

/** A refusal, or an error that came in place of a reply. */
export function toFailure(
  { status, waitMs, forbidsRepeat }: RefusalHead,
  reported: ReportedError | undefined,
  request: CallFacts,
  dialect: Dialect,
): BridgeError {
  const names = reported?.names ?? [];
  const row = rowOf(status, reported, dialect);
  const failure: BackendFailure = {
    // Some repeat their status as the code.
    code: names.find((name) => !/^(?:\d+|None)$/.test(name)),
    moderationStage: reported?.moderationStage,
    moderationCategories: reported?.moderationCategories ?? [],
    retryAfterMs: waitMs,
    resetsInMs: undefined,
  };
  const error = toError(row, failure, request);
  const field = atFault(row, reported, request);
  const named = field === undefined ? error : error.with({ param: field, details: { field } });
  return forbidsRepeat ? named.with({ transient: false, retryable: false }) : named;
}

/** Our field that the refusal is about. */
function atFault(
  row: FailureRow,
  reported: ReportedError | undefined,
  request: CallFacts,
): string | undefined {
  if (ABOUT_MODEL.has(row)) return 'routing.model';
  return WITH_FIELD.has(row) ? fieldOf(reported?.field, request) : undefined;
}

function rowOf(status: number, reported: ReportedError | undefined, dialect: Dialect): FailureRow {
  const names = reported?.names ?? [];
  const named = names.map(rowNamed).find((row) => row !== undefined);
  if (status === 401) return authentication;
  if (status === 402) return quota;
  if (status === 403) return permission;
  if (status === 429) return named === quota ? quota : rate;
  if (TRANSIENT_STATUSES.includes(status)) {
    return status === 500 && dialect.hides500 ? FAILURES.unknownOutcome : FAILURES.transient;
  }
  if (status > 500 || status === REQUEST_TIMEOUT) return FAILURES.unknownOutcome;
  if (named) return named;
  if (REQUEST_FAULTS.includes(status)) return refused;
  if (status === 404 && reported) {
    if (reported.field === 'model') return unknownModel;
    return dialect.hasNameless404 ? unknownModelOrRoute : FAILURES.other;
  }
  return status < 300 ? rowWithoutStatus(names, dialect) : FAILURES.other;
}

/** An error that came under a successful status, and that no code names. */
function rowWithoutStatus(names: readonly string[], dialect: Dialect): FailureRow {
  if (names.some((name) => SERVER_FAILED.has(name))) {
    return dialect.hides500 ? FAILURES.unknownOutcome : FAILURES.transient;
  }
  return names.some((name) => REQUEST_FAILED.has(name)) ? refused : FAILURES.other;
}

function rowNamed(name: string): FailureRow | undefined {
  return NAMED.get(name) ?? (QUOTA_NAME.test(name) ? quota : undefined);
}

/** Optional members. A malformed one is ignored, and the rest of the error still counts. */
const Text = v.fallback(v.nullish(v.string()), undefined);

const Inner = v.fallback(v.nullish(v.object({ code: Text })), undefined);

const Moderation = v.fallback(
  v.nullish(
    v.object({
      moderation_stage: Text,
      categories: v.fallback(v.nullish(v.array(v.unknown())), undefined),
    }),
  ),
  undefined,
);

const ErrorObject = v.object({
  message: Text,
  code: Text,
  type: Text,
  param: Text,
  inner_error: Inner,
  innererror: Inner,
  moderation_details: Moderation,
});

const Enveloped = v.object({ error: ErrorObject });
const ErrorEvent = v.object({ ...ErrorObject.entries, type: v.literal('error') });
/** Servers at home say what is wrong in a text, which is not used. */
const TextOnly = v.union([v.object({ error: v.string() }), v.object({ detail: v.unknown() })]);
/** FastAPI names the field of a 422 by its path, such as `["body", "size"]`. */
const Located = v.object({
  detail: v.looseTuple([v.object({ loc: v.looseTuple([v.unknown(), v.string()]) })]),
});

/** An error as a server reports it, in the body of a refusal, in an event, or in place of a reply. */
export interface ReportedError {
  /** What names it, the most specific first: its inner code, its code, its type. */
  readonly names: readonly string[];
  /** The field that it is about, as the server calls it. */
  readonly field: string | undefined;
  readonly moderationStage: string | undefined;
  readonly moderationCategories: readonly unknown[];
}

const NO_FACTS: ReportedError = {
  names: [],
  field: undefined,
  moderationStage: undefined,
  moderationCategories: [],
};

/**
 * Returns the error in a body or an event; undefined if there is none. The message of an error may quote the prompt: it is only
 * searched for the names that the dialect hides in it, and never kept.
 */
export function parseReportedError(
  value: unknown,
  { namesInMessage = [] }: Pick<Dialect, 'namesInMessage'>,
): ReportedError | undefined {
  const enveloped = v.safeParse(Enveloped, value);
  if (enveloped.success) return toReported(enveloped.output.error, namesInMessage);
  const event = v.safeParse(ErrorEvent, value);
  if (event.success) return toReported({ ...event.output, type: undefined }, namesInMessage);
  const located = v.safeParse(Located, value);
  if (located.success) return { ...NO_FACTS, field: located.output.detail[0].loc[1] };
  return v.is(TextOnly, value) ? NO_FACTS : undefined;
}

function toReported(
  error: v.InferOutput<typeof ErrorObject>,
  namesInMessage: readonly string[],
): ReportedError {
  const { message, code, type, param, moderation_details: moderation } = error;
  const hidden = namesInMessage.filter((name) => message?.includes(name));
  const inner = error.inner_error?.code ?? error.innererror?.code;
  return {
    names: [inner, ...hidden, code, type].flatMap((name) => (name ? [name] : [])),
    field: param ?? undefined,
    moderationStage: moderation?.moderation_stage ?? undefined,
    moderationCategories: moderation?.categories ?? [],
  };
}

const PARAMETERS: ReadonlySet<string> = new Set([
  'n',
  'size',
  'quality',
  'output_format',
  'output_compression',
  'background',
  'moderation',
  'partial_images',
  'input_fidelity',
]);

const IMAGE = /^image(?:\[\])?(?:\[(\d{1,3})\])?$/;

/** Our field for the `param` of an error; undefined for a field that no request of ours has. */
function fieldOf(
  param: string | undefined,
  { images, references, maskImage }: CallFacts,
): string | undefined {
  if (param === undefined) return undefined;
  if (PARAMETERS.has(param)) return `parameters.${param}`;
  if (param === 'prompt' || param === 'mask') return param;
  if (param === 'model') return 'routing.model';
  const image = IMAGE.exec(param);
  if (!image) return undefined;
  // They count all of them together, in the order of `sentImages`.
  const sent = [
    ...images.map((_, index) => `images[${index}]`),
    ...(maskImage ? ['mask'] : []),
    ...references.map((_, index) => `reference_images[${index}]`),
  ];
  return sent[Number(image[1] ?? 0)];
}
