import type * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';

/** A violation of a request, as listed in `details.issues`. */
export interface RequestIssue {
  /** A path such as `images[0].data_url`. */
  readonly field: string;
  readonly code: string;
  /** The requirement that the field violates. The message never contains the sent value. */
  readonly message: string;
}

const MAX_ISSUES = 64;
const MAX_FIELD_CHARS = 256;
const MAX_NAME_CHARS = 64;
const PLAIN_NAME = /^[A-Za-z0-9_-]+$/;

/** Returns a message that contains its issue code, for checks that are not listed in `CHECKS`. */
export function coded(code: string, message: string): string {
  return `[${code}] ${message}`;
}

/** Creates an issue with a coded message. The issue does not keep the sent value, which may have megabytes. */
export function ownIssue(
  code: string,
  message: string,
  ...path: readonly string[]
): v.BaseIssue<unknown> {
  const [first, ...others] = path.map(pathItem);
  return {
    kind: 'validation',
    type: 'own',
    input: undefined,
    expected: null,
    received: 'other',
    message: coded(code, message),
    ...(first && { path: [first, ...others] }),
  };
}

/** Creates the path item of a field, or of an item of a list if `key` is an index. */
export function pathItem(key: string | number): v.ObjectPathItem {
  // The cast is safe because `toField` reads only the key, and distinguishes an index from a name.
  return { type: 'object', origin: 'value', input: {}, key: key as string, value: undefined };
}

/** Converts the issues of valibot to request issues. */
export function toRequestIssues(issues: readonly v.BaseIssue<unknown>[]): RequestIssue[] {
  return issues.map((issue) => {
    const field = toField(issue.path ?? []);
    const [, code, message] = /^\[([a-z_]+)\] (.*)$/s.exec(issue.message) ?? [];
    if (code && message) return { field, code, message };
    if (isMissing(issue)) return { field, code: 'required', message: 'is required' };
    return { field, code: issueCode(issue), message: issueMessage(issue) };
  });
}

/** Sorts violations by field and code. Above 64 violations, the last entry is `too_many_issues`. */
export function listedIssues(issues: readonly RequestIssue[]): readonly RequestIssue[] {
  const sorted = [...issues].sort((a, b) => compare(a.field, b.field) || compare(a.code, b.code));
  if (sorted.length <= MAX_ISSUES) return sorted;
  return [
    ...sorted.slice(0, MAX_ISSUES - 1),
    { field: '', code: 'too_many_issues', message: 'further issues are not listed' },
  ];
}

/** Returns the error for all violations of a request. */
export function invalidRequest(issues: readonly RequestIssue[]): BridgeError {
  const shown = listedIssues(issues);
  return new BridgeError('invalid_request', 'the request is invalid', {
    ...(shown[0]?.field ? { param: shown[0].field } : {}),
    details: { issues: shown.map((issue) => ({ ...issue })) },
  });
}

/** Returns a name chosen by a caller in the form used in `field`: plain names unchanged, other names truncated and quoted. */
export function fieldName(name: string): string {
  return isPlain(name) ? name : `[${JSON.stringify(name.slice(0, MAX_NAME_CHARS))}]`;
}

/** Returns the error for a single violation. */
export function invalidField(field: string, code: string, message: string): BridgeError {
  return invalidRequest([{ field, code, message }]);
}

// Sorts by code unit, as clients do. `localeCompare` would depend on the machine.
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function toField(path: readonly v.IssuePathItem[]): string {
  let field = '';
  for (const { key } of path) {
    if (typeof key === 'number') field += `[${key}]`;
    else if (typeof key === 'string' && isPlain(key)) field += field ? `.${key}` : key;
    else field += fieldName(String(key));
  }
  // Truncation may split a surrogate pair, and not every client can parse JSON with a lone surrogate.
  return field.slice(0, MAX_FIELD_CHARS).toWellFormed();
}

/** Returns true if the name needs no quotes. The length is checked first because a name may have megabytes. */
function isPlain(name: string): boolean {
  return name.length <= MAX_NAME_CHARS && PLAIN_NAME.test(name);
}

function isMissing({ type, path, input }: v.BaseIssue<unknown>): boolean {
  const last = path?.at(-1);
  if (last?.type !== 'object') return false;
  // A variant reports a missing discriminator only by its undefined value.
  return type === 'variant' ? input === undefined : last.origin === 'key';
}

type ToMessage = (requirement: unknown, unit: 'item' | 'character') => string;

/** The codes and messages of checks by their types in valibot. */
const CHECKS: Readonly<Record<string, readonly [code: string, message: ToMessage]>> = {
  integer: ['out_of_range', () => 'must be a whole number'],
  min_value: ['out_of_range', (min) => `must be at least ${min}`],
  max_value: ['out_of_range', (max) => `must be at most ${max}`],
  min_length: ['invalid_length', (min, unit) => `must have at least ${counted(min, unit)}`],
  max_length: ['invalid_length', (max, unit) => `must have at most ${counted(max, unit)}`],
  min_bytes: ['invalid_length', (min) => `must have at least ${counted(min, 'byte')}`],
  max_bytes: ['invalid_length', (max) => `must have at most ${counted(max, 'byte')}`],
  non_empty: ['invalid_length', () => 'must not be empty'],
};

function counted(count: unknown, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function issueCode({ kind, type, expected }: v.BaseIssue<unknown>): string {
  const check = CHECKS[type];
  if (check) return check[0];
  const isValue = type === 'picklist' || type === 'literal';
  const isDiscriminator = type === 'variant' && expected !== 'Object';
  return kind !== 'schema' || isValue || isDiscriminator ? 'invalid_value' : 'invalid_type';
}

const EXPECTED: Readonly<Record<string, string>> = {
  Object: 'an object',
  Array: 'an array',
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
};

// Uses `expected`, which is part of the schema, because valibot's own message would quote the sent value.
function issueMessage({ type, message, input, requirement, expected }: v.BaseIssue<unknown>) {
  if (message !== '' && !message.startsWith('Invalid ')) return message;
  const check = CHECKS[type];
  if (check) return check[1](requirement, Array.isArray(input) ? 'item' : 'character');
  return expected === null ? 'is not valid' : `must be ${EXPECTED[expected] ?? expected}`;
}
