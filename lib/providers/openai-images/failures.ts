import * as v from 'valibot';
import type { BridgeError } from '../../errors/bridge-error.ts';
import {
  type BackendFailure,
  FAILURES,
  type FailureRow,
  REQUEST_FAULTS,
  rowOfStatus,
  toError,
} from '../backend/failures.ts';
import { optionalMember, Text } from '../backend/reply-members.ts';
import { sentFields } from '../backend/sent-images.ts';
import type { CallFacts } from '../provider-port.ts';
import type { Dialect } from './dialects/dialect.ts';
import { OPENAI } from './dialects/openai.ts';

const { authentication, safety, rate, quota, unsupported, input } = FAILURES;
const { unknownModel, unknownModelOrRoute } = FAILURES;
const { refused, transient, unknownOutcome, other } = FAILURES;

/** Rows whose error names the invalid field. */
const WITH_FIELD: ReadonlySet<FailureRow> = new Set([unsupported, input, refused]);
const ABOUT_MODEL: ReadonlySet<FailureRow> = new Set([unknownModel, unknownModelOrRoute]);

/** Meaning of the error names of OpenAI and compatible servers. */
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
/** Rows of the names that replace an HTTP status when the response has no error status. */
const WITHOUT_STATUS: ReadonlyMap<string, FailureRow> = new Map<string, FailureRow>([
  ['server_error', transient],
  ['service_unavailable', transient],
  ['invalid_request_error', refused],
  ['image_generation_user_error', refused],
]);

/** The status and headers of a reply that rejects a call or contains an error. */
export interface RefusalHead {
  /** 2xx if the error is reported in place of a reply or inside a reply. */
  readonly status: number;
  readonly waitMs: number | undefined;
  /** True if the server says that the call must not be repeated. */
  readonly forbidsRepeat: boolean;
}

/** Converts the rejection of a call, or an error in place of a reply. */
export function toFailure(
  { status, waitMs, forbidsRepeat }: RefusalHead,
  reported: ReportedError | undefined,
  request: CallFacts,
  dialect: Dialect,
): BridgeError {
  const names = reported?.names ?? [];
  const row = rowOf(status, reported, dialect);
  const named = WITH_FIELD.has(row) ? fieldOf(reported?.field, request) : undefined;
  const failure: BackendFailure = {
    // Some servers repeat the status as the code.
    code: names.find((name) => !/^(?:\d+|None)$/.test(name)),
    moderationStage: reported?.moderationStage,
    moderationCategories: reported?.moderationCategories ?? [],
    retryAfterMs: waitMs,
    field: ABOUT_MODEL.has(row) ? 'routing.model' : named,
  };
  const error = toError(row, failure, request);
  return forbidsRepeat ? error.with({ transient: false, retryable: false }) : error;
}

function rowOf(status: number, reported: ReportedError | undefined, dialect: Dialect): FailureRow {
  const own = dialect.failureOf?.(status, reported?.json);
  if (own) return own;
  const names = reported?.names ?? [];
  const named = names.map(rowNamed).find((row) => row !== undefined);
  if (status === 429 && named === quota) return quota;
  if (status === 500 && dialect.hides500) return unknownOutcome;
  const row = rowOfStatus(status) ?? named;
  if (row) return row;
  if (REQUEST_FAULTS.includes(status)) return refused;
  if (status === 404 && reported) {
    if (reported.field === 'model') return unknownModel;
    return dialect.hasNameless404 ? unknownModelOrRoute : other;
  }
  return status < 300 ? rowWithoutStatus(names, dialect) : other;
}

/** Selects the row of an error that has a successful status and no known name. */
function rowWithoutStatus(names: readonly string[], dialect: Dialect): FailureRow {
  const rows = names.flatMap((name) => WITHOUT_STATUS.get(name) ?? []);
  if (rows.includes(transient)) return dialect.hides500 ? unknownOutcome : transient;
  return rows[0] ?? other;
}

/** Returns the kind of failure that a name of OpenAI states, or undefined for another name. */
export function rowNamed(name: string): FailureRow | undefined {
  return NAMED.get(name) ?? (QUOTA_NAME.test(name) ? quota : undefined);
}

const Inner = optionalMember(v.object({ code: Text }));

const Moderation = optionalMember(
  v.object({ moderation_stage: Text, categories: optionalMember(v.array(v.unknown())) }),
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
/** Self-hosted servers report errors as free text, which is not used. */
const TextOnly = v.union([v.object({ error: v.string() }), v.object({ detail: v.unknown() })]);
/** FastAPI reports the invalid field of a 422 by its path, such as `["body", "size"]`. */
const Located = v.object({
  detail: v.looseTuple([v.object({ loc: v.looseTuple([v.unknown(), v.string()]) })]),
});

/** An error that a server reports in the body of a rejection, in an event, or in place of a reply. */
export type ReportedError = ReturnType<typeof toReported>;

/**
 * Returns the error in a body or an event, or undefined if there is none. The message of an error may quote the prompt,
 * so it is only searched for the names that the dialect expects in it, and never becomes part of an error.
 */
export function parseReportedError(
  value: unknown,
  { namesInMessage = [] }: Pick<Dialect, 'namesInMessage'>,
): ReportedError | undefined {
  const enveloped = v.safeParse(Enveloped, value);
  if (enveloped.success) return toReported(value, enveloped.output.error, namesInMessage);
  const event = v.safeParse(ErrorEvent, value);
  if (event.success) return toReported(value, { ...event.output, type: undefined }, namesInMessage);
  const located = v.safeParse(Located, value);
  if (located.success) return toReported(value, { param: located.output.detail[0].loc[1] }, []);
  return v.is(TextOnly, value) ? toReported(value, {}, []) : undefined;
}

function toReported(
  json: unknown,
  error: Partial<v.InferOutput<typeof ErrorObject>>,
  namesInMessage: readonly string[],
) {
  const { message, code, type, param, moderation_details: moderation } = error;
  const hidden = namesInMessage.filter((name) => message?.includes(name));
  const inner = error.inner_error?.code ?? error.innererror?.code;
  return {
    /** The value that contains the error, for the rules of a dialect. */
    json,
    /** Names of the error, the most specific first: inner code, code, type. */
    names: [inner, ...hidden, code, type].flatMap((name) => (name ? [name] : [])),
    /** The field that the error is about, under the server's name. */
    field: param ?? undefined,
    moderationStage: moderation?.moderation_stage ?? undefined,
    moderationCategories: moderation?.categories ?? [],
  };
}

const IMAGE = /^image(?:\[\])?(?:\[(\d{1,3})\])?$/;

/** Returns the bridge's name of the field in `param`, or undefined for a field that the bridge never sends. */
export function fieldOf(param: string | undefined, request: CallFacts): string | undefined {
  if (param === undefined) return undefined;
  const isParameter = OPENAI.fields.some((field) => field === param);
  if (isParameter && param !== 'stream') return `parameters.${param}`;
  if (param === 'prompt' || param === 'mask') return param;
  if (param === 'model') return 'routing.model';
  const image = IMAGE.exec(param);
  if (!image) return undefined;
  // Servers count all images together.
  return sentFields(request)[Number(image[1] ?? 0)];
}
