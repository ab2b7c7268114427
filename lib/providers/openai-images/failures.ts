import type { BridgeError } from '../../errors/bridge-error.ts';
import {
  type BackendFailure,
  FAILURES,
  type FailureRow,
  toError,
} from '../backend/failure-rows.ts';
import type { CallFacts } from '../provider-port.ts';
import type { Dialect } from './dialects.ts';
import { fieldOf } from './field-of.ts';
import type { ReportedError } from './reported-error.ts';

const { authentication, permission, safety, rate, quota, unsupported, input } = FAILURES;

/** The server does not have the model. */
const UNKNOWN_MODEL: FailureRow = {
  code: 'unsupported_capability',
  message: 'the backend does not have this model',
};

/** What the names of errors mean (more-providers.md 2, "Failures"). */
const NAMED: ReadonlyMap<string, FailureRow> = new Map<string, FailureRow>([
  ['moderation_blocked', safety],
  ['content_policy_violation', safety],
  ['content_filter', safety],
  ['contentFilter', safety],
  ['ResponsibleAIPolicyViolation', safety],
  ['invalid_api_key', authentication],
  ['model_not_found', UNKNOWN_MODEL],
  ['DeploymentNotFound', UNKNOWN_MODEL],
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
  const row = rowOf(status, names, dialect);
  const failure: BackendFailure = {
    // Some repeat their status as the code.
    code: names.find((name) => !/^\d+$/.test(name)),
    moderationStage: reported?.moderationStage,
    moderationCategories: reported?.moderationCategories ?? [],
    retryAfterMs: waitMs,
    resetsInMs: undefined,
  };
  const error = toError(row, failure, request);
  const field = row === UNKNOWN_MODEL ? 'routing.model' : fieldOf(reported?.field, request);
  const namesField =
    field !== undefined && (row === UNKNOWN_MODEL || row === unsupported || row === input);
  const named = namesField ? error.with({ param: field, details: { field } }) : error;
  return forbidsRepeat ? named.with({ transient: false, retryable: false }) : named;
}

function rowOf(status: number, names: readonly string[], dialect: Dialect): FailureRow {
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
  const hasFailed = status < 300 && names.some((name) => SERVER_FAILED.has(name));
  if (!hasFailed) return FAILURES.other;
  return dialect.hides500 ? FAILURES.unknownOutcome : FAILURES.transient;
}

function rowNamed(name: string): FailureRow | undefined {
  return NAMED.get(name) ?? (QUOTA_NAME.test(name) ? quota : undefined);
}
