import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import { parseJson } from '../../platform/parse-json.ts';
import { fromCode, fromReply } from '../backend/backend-errors.ts';
import { FAILURES, parseErrorBody, toBackendFailure, toError } from '../backend/failures.ts';
import { optionalMember } from '../backend/reply-members.ts';
import type { CallFacts } from '../provider-port.ts';
import type { TurnError, TurnItem } from './turn-notification.ts';

const HTTP_FAILURE = /\bhttp ([1-5]\d{2})\b/;
const HTTP_BODY = /Some\(("(?:[^"\\]|\\.)*")\)/;
const LOST_CALL = /\b(?:network|stream) error\b/;
const NO_IMAGE = /\breturned no image data\b/;
const UNREADABLE_IMAGE = /\bunable to (?:read|process) referenced image\b/;

/** Error codes of the backend, by the agent's names of the same errors. */
const ERROR_CODES: Readonly<Record<string, string>> = {
  unauthorized: 'authentication_error',
  usageLimitExceeded: 'usage_limit_reached',
  rateLimitExceeded: 'rate_limit_exceeded',
  internalServerError: 'server_error',
  serverOverloaded: 'server_is_overloaded',
  cyberPolicy: 'cyber_policy',
};

const ErrorInfo = v.record(v.string(), v.object({ httpStatusCode: optionalMember(v.number()) }));

/** Converts the failure of the image tool, which the agent reports to its model as text. */
export function fromToolOutput(output: string, request: CallFacts): BridgeError {
  const status = Number(HTTP_FAILURE.exec(output)?.[1]);
  if (status > 0) {
    const body = parseDebugText(HTTP_BODY.exec(output)?.[1]);
    return fromReply(status, parseJson(body ?? ''), request);
  }
  if (NO_IMAGE.test(output)) return toError(FAILURES.noImage, {}, request);
  if (UNREADABLE_IMAGE.test(output)) return toError(FAILURES.input, {}, request);
  const isLost = LOST_CALL.test(output);
  return new BridgeError('upstream', 'the image tool of the agent failed', {
    ...(isLost ? { effect: 'unknown', details: { reason: 'connection_lost' } } : {}),
  });
}

/** Converts the failure that an image item reports. */
export function fromItemFailure(
  { type, resetsAt }: NonNullable<TurnItem['failure']>,
  request: CallFacts,
  nowMs: number,
): BridgeError {
  const code = ERROR_CODES[type] ?? type;
  const resets = resetsAt === undefined || resetsAt === null ? undefined : resetsAt - nowMs / 1000;
  return fromCode(
    toBackendFailure([
      { code, ...(resets === undefined ? {} : { resets_in_seconds: Math.max(0, resets) }) },
    ]),
    request,
  );
}

/** Converts the failure of a turn's model call. */
export function fromTurnError(
  { message, codexErrorInfo: info }: TurnError,
  request: CallFacts,
): BridgeError {
  if (typeof info === 'string' && Object.hasOwn(ERROR_CODES, info)) {
    return fromCode(toBackendFailure([{ code: ERROR_CODES[info] }]), request);
  }
  const parsed = v.safeParse(ErrorInfo, info);
  const [details] = parsed.success ? Object.values(parsed.output) : [];
  // The message is the raw body of the backend's reply.
  const body = parseJson(message ?? '');
  return details?.httpStatusCode
    ? fromReply(details.httpStatusCode, body, request)
    : fromCode(toBackendFailure([parseErrorBody(body)]), request);
}

/** Parses a string literal written by Rust's `Debug`. The escapes are the same as in JSON, except `\'` and `\u{…}`. */
function parseDebugText(literal: string | undefined): string | undefined {
  if (literal === undefined) return undefined;
  const json = literal
    .replaceAll("\\'", "'")
    .replaceAll(/\\u\{([0-9a-f]{1,4})\}/gi, (_, hex: string) => `\\u${hex.padStart(4, '0')}`);
  const text = parseJson(json);
  return typeof text === 'string' ? text : undefined;
}
