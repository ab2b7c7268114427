import { BridgeError, type Detail } from '../errors/bridge-error.ts';
import type { FieldRow } from './wire-fields.ts';

/** The caller's own name of a path in our request. */
export type CallersName = (path: string) => string;

/** Renames by the row that covers most of a path, and by the first among equals; a path without a row stays. */
export function callersNames(rows: readonly FieldRow[]): CallersName {
  return (path) => {
    const [best] = rows
      .filter(({ ours }) => covers(ours, path))
      .sort((a, b) => b.ours.length - a.ours.length);
    return best ? best.theirs + path.slice(best.ours.length) : path;
  };
}

/** The same failure, with the caller's own field names (contract.md 10). */
export function toCallersError(thrown: unknown, nameOf: CallersName): unknown {
  if (!(thrown instanceof BridgeError)) return thrown;
  return thrown.with({
    ...(thrown.param === null ? {} : { param: nameOf(thrown.param) }),
    details: toCallersDetails(thrown.details, nameOf),
  });
}

/** The details of a failure, with the caller's own field names. */
export function toCallersDetails(
  details: BridgeError['details'],
  nameOf: CallersName,
): BridgeError['details'] {
  const members = Object.entries(details).map(([key, detail]) => [
    key,
    detail === undefined ? undefined : renamed(key, detail, nameOf),
  ]);
  return Object.fromEntries(members);
}

function covers(ours: string, path: string): boolean {
  return path === ours || path.startsWith(`${ours}.`) || path.startsWith(`${ours}[`);
}

/** `field` and `fields` hold paths, wherever they stand; nothing else does. */
function renamed(key: string, detail: Detail, nameOf: CallersName): Detail {
  if (typeof detail === 'string') {
    return key === 'field' || key === 'fields' ? nameOf(detail) : detail;
  }
  if (typeof detail !== 'object' || detail === null) return detail;
  if (isList(detail)) return detail.map((one) => renamed(key, one, nameOf));
  return toCallersDetails(detail, nameOf);
}

/** `Array.isArray` knows no list that is read only. */
function isList(detail: Detail): detail is readonly Detail[] {
  return Array.isArray(detail);
}
