import type { Problem } from '../problem.ts';
import {
  type Entries,
  type EntryKey,
  entryOf,
  fieldAt,
  fieldOfVariable,
  memberOf,
  type NamedField,
  toNamed,
} from '../settings/fields.ts';
import { SETTINGS } from '../settings/settings.ts';
import {
  fieldPath,
  type Keyed,
  type Section,
  type Segment,
  tailOfVariable,
} from '../values/field.ts';
import { isTable } from '../values/field-collections.ts';
import type { ConfigFile } from './config-file.ts';
import { parseToml, parseTomlValue } from './toml.ts';
import { createTomlLines, tomlKeyOnLine } from './toml-lines.ts';

/** The kind of the source of a value. Each kind takes precedence over the kinds before it. */
export type Origin = 'default' | 'file' | 'environment' | 'override';

/** An unchecked value of a source for a known field. */
export interface Setting {
  readonly named: NamedField;
  readonly raw: unknown;
  /** The path of the file as the operator wrote it, the name of the variable, or the flag. */
  readonly source: string;
  /** Returns the line of a path inside the value. Present only for values from a file. */
  readonly lineOf?: (at: readonly Segment[]) => number;
}

/** An entry of a keyed section in a source, with its position. */
export interface GivenEntry extends EntryKey {
  readonly source: string;
  readonly line?: number | undefined;
}

export interface Source {
  readonly origin: Origin;
  readonly settings: readonly Setting[];
  readonly entries: readonly GivenEntry[];
  /** The problems of values that belong to no known field or cannot be read. */
  readonly problems: readonly Problem[];
}

/** Parses the settings of a TOML text. A problem without a field is reported for the flag or variable that named the file. */
export function fileSource(
  text: string,
  { namedBy, givenPath: source }: Pick<ConfigFile, 'namedBy' | 'givenPath'>,
): Source {
  const reading = parseToml(text);
  if (!reading.ok) {
    const { line, message } = reading;
    const key = tomlKeyOnLine(text, line);
    const field = key ? fieldPath(key) : namedBy;
    const problem = { field, source, line, message };
    return { origin: 'file', settings: [], entries: [], problems: [problem] };
  }
  const lines = createTomlLines(text);
  const settings: Setting[] = [];
  const entries: GivenEntry[] = [];
  const problems: Problem[] = [];
  walk(SETTINGS, reading.table, []);
  return { origin: 'file', settings, entries, problems };

  function walk(
    section: Section<Entries> | Keyed<Entries>,
    table: object,
    segments: readonly string[],
  ): void {
    for (const [key, raw] of Object.entries(table)) {
      const path = [...segments, key];
      const node = memberOf(section, key);
      if (typeof node === 'string') report(path, node);
      else if (node.kind === 'field') settings.push(fileSetting(toNamed(path, node), raw, path));
      else if (!isTable(raw)) report(path, 'must be a table of settings');
      else {
        if (section.kind === 'keyed') entries.push(fileEntry(section, segments, key));
        walk(node, raw, path);
      }
    }
  }

  function fileSetting(named: NamedField, raw: unknown, path: readonly Segment[]): Setting {
    return { named, raw, source, lineOf: (at) => lines.lineOf([...path, ...at]) };
  }

  function fileEntry({ keys }: Keyed<Entries>, path: readonly string[], name: string): GivenEntry {
    return { section: fieldPath(path), keys, name, source, line: lines.lineOf([...path, name]) };
  }

  function report(path: readonly Segment[], message: string): void {
    problems.push({ field: fieldPath(path), source, line: lines.lineOf(path), message });
  }
}

/** Values that replace built-in defaults, by the path of the setting. Commands such as `quickstart` define presets. */
export type Presets = Readonly<Record<string, string | number | boolean>>;

/**
 * Reads the environment variables `IMAGE_BRIDGE__…`. An unknown name is a problem, because a typing error must not silently
 * leave a setting at its default.
 */
export function environmentSource(env: Readonly<Record<string, string | undefined>>): Source {
  const { add, fail, result } = collect('environment');
  for (const source of Object.keys(env).sort()) {
    const tail = tailOfVariable(source);
    const value = env[source];
    if (tail === undefined || value === undefined) continue;
    const named = fieldOfVariable(source, tail);
    if (typeof named === 'string') fail(fieldPath(tail.toLowerCase().split('__')), source, named);
    else add(named, toRaw(named, value), source);
  }
  return result;
}

/** Reads the values of `--set field=value`. The last value for a field takes precedence. */
export function overrideSource(assignments: readonly string[]): Source {
  const { add, fail, result } = collect('override');
  const source = '--set';
  for (const assignment of assignments) {
    const equals = assignment.indexOf('=');
    const path = assignment.slice(0, Math.max(0, equals));
    const named = fieldAt(path.split('.'));
    if (equals < 1) fail(source, source, 'must be field=value');
    else if (typeof named === 'string') fail(path, source, named);
    else add(named, toRaw(named, assignment.slice(equals + 1)), source);
  }
  return result;
}

/** Reads presets. Presets count as defaults and have a lower precedence than the file. */
export function presetSource(presets: Presets): Source {
  const { add, fail, result } = collect('default');
  const source = 'preset';
  for (const [path, value] of Object.entries(presets)) {
    const named = fieldAt(path.split('.'));
    const raw = typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
    if (typeof named === 'string') fail(path, source, named);
    else add(named, raw, source);
  }
  return result;
}

function collect(origin: Origin) {
  const settings: Setting[] = [];
  const entries: GivenEntry[] = [];
  const problems: Problem[] = [];
  return {
    result: { origin, settings, entries, problems },
    add(named: NamedField, raw: unknown, source: string): void {
      settings.push({ named, raw, source });
      const entry = entryOf(named);
      if (entry) entries.push({ ...entry, source });
    },
    fail(field: string, source: string, message: string): void {
      problems.push({ field, source, message });
    },
  };
}

function toRaw(named: NamedField, value: string): unknown {
  return named.field.isText ? value : (parseTomlValue(value) ?? value);
}
