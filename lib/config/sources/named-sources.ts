import type { Problem } from '../problem.ts';
import { FIELDS, fieldByPath, fieldByVariable, type NamedField } from '../settings/fields.ts';
import { pathOfVariable } from '../values/field-path.ts';
import type { Setting, Source } from './source.ts';
import { parseTomlValue } from './toml.ts';

/** Values of fields by path, in place of the built-in defaults; a command brings its own. */
export type Presets = Readonly<Record<string, string | number | boolean>>;

/** The variables named `IMAGE_BRIDGE__…`; an unknown one is a problem, for a typing error must not pass as a default. */
export function environmentSource(env: Readonly<Record<string, string | undefined>>): Source {
  const settings: Setting[] = [];
  const problems: Problem[] = [];
  for (const source of Object.keys(env).sort()) {
    const path = pathOfVariable(source);
    const value = env[source];
    if (path === undefined || value === undefined) continue;
    const named = fieldByVariable.get(source);
    if (named) settings.push({ named, raw: toRaw(named, value), source });
    else problems.push({ field: path, source, message: unknown('environment', `${source}__`) });
  }
  return { origin: 'environment', settings, problems };
}

/** The values of `--set field=value`, in order: of two for one field the later one counts. */
export function overrideSource(assignments: readonly string[]): Source {
  const source = '--set';
  const settings: Setting[] = [];
  const problems: Problem[] = [];
  for (const assignment of assignments) {
    const equals = assignment.indexOf('=');
    const path = assignment.slice(0, Math.max(0, equals));
    const named = fieldByPath.get(path);
    if (equals < 1) problems.push({ field: source, source, message: 'must be field=value' });
    else if (named) {
      settings.push({ named, raw: toRaw(named, assignment.slice(equals + 1)), source });
    } else problems.push({ field: path, source, message: unknown('path', `${path}.`) });
  }
  return { origin: 'override', settings, problems };
}

/** Presets stand below the file and count as defaults. */
export function presetSource(presets: Presets): Source {
  const source = 'preset';
  const settings: Setting[] = [];
  const problems: Problem[] = [];
  for (const [path, value] of Object.entries(presets)) {
    const named = fieldByPath.get(path);
    const raw = typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
    if (named) settings.push({ named, raw, source });
    else problems.push({ field: path, source, message: unknown('path', `${path}.`) });
  }
  return { origin: 'default', settings, problems };
}

function toRaw(named: NamedField, value: string): unknown {
  return named.field.isText ? value : (parseTomlValue(value) ?? value);
}

function unknown(name: 'path' | 'environment', prefix: string): string {
  return FIELDS.some((named) => named[name].startsWith(prefix))
    ? 'is a section: set one of its fields'
    : 'is not a known setting';
}
