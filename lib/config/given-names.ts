import type { Problem } from './problem.ts';
import type { KeysOf } from './settings/fields.ts';
import { SINGLE_NAMES } from './settings/provider-names.ts';
import type { GivenEntry, Source } from './sources/source.ts';

/** Reserved names. Metrics use `global` as a scope and `none` as the label for no provider. */
const RESERVED: readonly string[] = ['global', 'none', ...SINGLE_NAMES];

export interface GivenNames {
  readonly keysOf: KeysOf;
  /** Each entry of each keyed section, at its first occurrence. */
  readonly entries: readonly GivenEntry[];
  readonly problems: readonly Problem[];
}

/**
 * Returns the provider names that the sources define, and a problem for each name that is reserved, repeated or not
 * registered.
 */
export function readNames(sources: readonly Source[]): GivenNames {
  const byPath = new Map<string, GivenEntry>();
  for (const entry of sources.flatMap(({ entries }) => entries)) {
    const path = pathOf(entry);
    if (!byPath.has(path)) byPath.set(path, entry);
  }
  const entries = [...byPath.values()];
  const own = entries.filter(({ keys }) => keys === 'own');
  const registered = [...new Set([...SINGLE_NAMES, ...own.map(({ name }) => name)])];
  return {
    entries,
    keysOf: ({ keys }, path) =>
      keys === 'registered'
        ? registered
        : own.filter(({ section }) => section === path).map(({ name }) => name),
    problems: entries.flatMap((entry) => {
      const message = entry.keys === 'own' ? nameFault(entry, own) : useFault(entry, registered);
      return message === undefined ? [] : [toProblem(entry, message)];
    }),
  };
}

function nameFault(entry: GivenEntry, own: readonly GivenEntry[]): string | undefined {
  if (RESERVED.includes(entry.name)) {
    return `must have a different name: ${RESERVED.join(', ')} are reserved`;
  }
  const first = own.find(({ name }) => name === entry.name);
  return first === undefined || first === entry
    ? undefined
    : `must have a different name: ${pathOf(first)} already has this name`;
}

function useFault({ name }: GivenEntry, registered: readonly string[]): string | undefined {
  return registered.includes(name)
    ? undefined
    : `is not a registered provider: ${registered.join(', ')}`;
}

function toProblem(entry: GivenEntry, message: string): Problem {
  const { source, line } = entry;
  return { field: pathOf(entry), source, ...(line === undefined ? {} : { line }), message };
}

function pathOf({ section, name }: GivenEntry): string {
  return `${section}.${name}`;
}
