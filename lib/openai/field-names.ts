import { BridgeError, type Detail } from '../errors/bridge-error.ts';

/** The name of a request field on the caller's route, and its path in the native request. */
export interface FieldRow {
  readonly theirs: string;
  readonly ours: string;
}

/** Returns the caller's name of a path in the native request. */
export type CallersName = (path: string) => string;

/** Creates a function that renames a path by the first row with the longest match. A path without a row is not changed. */
export function callersNames(rows: readonly FieldRow[]): CallersName {
  return (path) => {
    const [best] = rows
      .filter(({ ours }) => covers(ours, path))
      .sort((a, b) => b.ours.length - a.ours.length);
    return best ? best.theirs + path.slice(best.ours.length) : path;
  };
}

/** Returns an error with the caller's field names. Returns other thrown values unchanged. */
export function toCallersError(thrown: unknown, nameOf: CallersName): unknown {
  if (!(thrown instanceof BridgeError)) return thrown;
  return thrown.with({
    ...(thrown.param === null ? {} : { param: nameOf(thrown.param) }),
    details: toCallersDetails(thrown.details, nameOf),
  });
}

/** Returns the details of an error with the caller's field names. */
export function toCallersDetails(
  details: BridgeError['details'],
  nameOf: CallersName,
): BridgeError['details'] {
  const members = Object.entries(details);
  return Object.fromEntries(members.map(([key, detail]) => [key, renamed(key, detail, nameOf)]));
}

function covers(ours: string, path: string): boolean {
  return path === ours || path.startsWith(`${ours}.`) || path.startsWith(`${ours}[`);
}

/** Renames the paths in a detail. Only members with the names `field` and `fields` contain paths, at any depth. */
function renamed<T extends Detail | undefined>(
  key: string,
  detail: T,
  nameOf: CallersName,
): Detail | T {
  if (typeof detail === 'string') {
    return key === 'field' || key === 'fields' ? nameOf(detail) : detail;
  }
  if (typeof detail !== 'object' || detail === null) return detail;
  if (isList(detail)) return detail.map((one) => renamed(key, one, nameOf));
  return toCallersDetails(detail, nameOf);
}

/** Narrows to a read-only list, which `Array.isArray` does not. */
function isList(detail: Detail): detail is readonly Detail[] {
  return Array.isArray(detail);
}
