import type * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';

/** One violation of a request, as listed in `details.issues`. */
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

/** Returns a message with an embedded issue code, for rules whose kind does not determine the code. */
export function coded(code: string, message: string): string {
  return `[${code}] ${message}`;
}

/** Converts valibot's issues to request issues: the field, the code and the requirement. */
export function toRequestIssues(issues: readonly v.BaseIssue<unknown>[]): RequestIssue[] {
  return issues.map((issue) => {
    const field = toField(issue.path ?? []);
    const own = /^\[([a-z_]+)\] (.*)$/s.exec(issue.message);
    if (own?.[1] && own[2]) return { field, code: own[1], message: own[2] };
    return { field, code: issueCode(issue), message: issueMessage(issue) };
  });
}

/** Sorts violations by field and code. Above 64 violations, the last entry is `too_many_issues`. */
export function listedIssues(issues: readonly RequestIssue[]): readonly RequestIssue[] {
  const sorted = [...issues].sort((a, b) => compare(a.field, b.field) || compare(a.code, b.code));
  if (sorted.length <= MAX_ISSUES) return sorted;
  return [
    ...sorted.slice(0, MAX_ISSUES - 1),
    // The number of the other issues is unknown, because a schema may stop collecting.
    { field: '', code: 'too_many_issues', message: 'further issues are not listed' },
  ];
}

/** Returns one error for all violations of a request. */
export function invalidRequest(issues: readonly RequestIssue[]): BridgeError {
  const shown = listedIssues(issues);
  return new BridgeError('invalid_request', 'the request is invalid', {
    ...(shown[0]?.field ? { param: shown[0].field } : {}),
    details: { issues: shown.map((issue) => ({ ...issue })) },
  });
}

/** Returns a name chosen by a caller in the form used in `field`: unchanged if it is plain, else truncated and quoted. */
export function fieldName(name: string): string {
  return isPlain(name) ? name : `[${JSON.stringify(name.slice(0, MAX_NAME_CHARS))}]`;
}

/** Returns an error for one violation found outside a schema. */
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

function issueCode(issue: v.BaseIssue<unknown>): string {
  switch (issue.type) {
    case 'unknown_field':
      return 'unknown_field';
    case 'min_value':
    case 'max_value':
    case 'integer':
      return 'out_of_range';
    case 'min_length':
    case 'max_length':
    case 'min_bytes':
    case 'max_bytes':
    case 'non_empty':
      return 'invalid_length';
    case 'picklist':
    case 'literal':
    case 'regex':
      return 'invalid_value';
    case 'variant':
      if (isMissing(issue)) return 'required';
      return issue.expected === 'Object' ? 'invalid_type' : 'invalid_value';
    default:
      return isMissing(issue)
        ? 'required'
        : issue.kind === 'schema'
          ? 'invalid_type'
          : 'invalid_value';
  }
}

function isMissing(issue: v.BaseIssue<unknown>): boolean {
  const last = issue.path?.at(-1);
  // A variant reports a missing discriminator only by its undefined value.
  if (issue.type === 'variant') return last?.type === 'object' && issue.input === undefined;
  return last?.type === 'object' && last.origin === 'key';
}

const EXPECTED: Readonly<Record<string, string>> = {
  Object: 'an object',
  Array: 'an array',
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
};

// Uses `expected`, which is part of the schema, because valibot's own message would quote the sent value.
function issueMessage(issue: v.BaseIssue<unknown>): string {
  if (issue.type === 'unknown_field') return 'is not a known field';
  if (isMissing(issue)) return 'is required';
  if (!isDefault(issue.message)) return issue.message;
  if (issue.type === 'integer') return 'must be a whole number';
  const bound = boundMessage(issue);
  if (bound !== undefined) return bound;
  if (issue.expected === null) return 'is not valid';
  return `must be ${EXPECTED[issue.expected] ?? issue.expected}`;
}

function isDefault(message: string): boolean {
  return message === '' || message.startsWith('Invalid ');
}

/** Returns the message of a violated bound, or undefined for any other issue. */
function boundMessage({ type, input, requirement }: v.BaseIssue<unknown>): string | undefined {
  const length = Array.isArray(input) ? 'item' : 'character';
  switch (type) {
    case 'min_value':
      return `must be at least ${requirement}`;
    case 'max_value':
      return `must be at most ${requirement}`;
    case 'min_length':
      return `must have at least ${counted(requirement, length)}`;
    case 'max_length':
      return `must have at most ${counted(requirement, length)}`;
    case 'min_bytes':
      return `must have at least ${counted(requirement, 'byte')}`;
    case 'max_bytes':
      return `must have at most ${counted(requirement, 'byte')}`;
    case 'non_empty':
      return 'must not be empty';
    default:
      return undefined;
  }
}

function counted(count: unknown, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
