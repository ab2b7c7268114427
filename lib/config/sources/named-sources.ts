import type { Problem } from '../problem.ts';
import { entryOf, fieldAtPath, fieldOfVariable, type NamedField } from '../settings/fields.ts';
import { fieldPath, tailOfVariable } from '../values/field-path.ts';
import type { GivenEntry, Origin, Setting, Source } from './source.ts';
import { parseTomlValue } from './toml.ts';

/** Values of fields by path, which replace the built-in defaults. A command such as `quickstart` has its own presets. */
export type Presets = Readonly<Record<string, string | number | boolean>>;

/**
 * Reads the environment variables `IMAGE_BRIDGE__…`. An unknown name is a problem, because a typo must not silently select a
 * default.
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
    const named = fieldAtPath(path);
    if (equals < 1) fail(source, source, 'must be field=value');
    else if (typeof named === 'string') fail(path, source, named);
    else add(named, toRaw(named, assignment.slice(equals + 1)), source);
  }
  return result;
}

/** Reads presets. They have a lower precedence than the file and count as defaults. */
export function presetSource(presets: Presets): Source {
  const { add, fail, result } = collect('default');
  const source = 'preset';
  for (const [path, value] of Object.entries(presets)) {
    const named = fieldAtPath(path);
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
