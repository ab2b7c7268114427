import type { Problem, Warning } from './problem.ts';
import { type Entries, FIELDS, fieldByPath, type NamedField } from './settings/fields.ts';
import { CROSS_FIELD_RULES, type CrossFieldRule } from './settings/rules.ts';
import { type Config, SETTINGS } from './settings/settings.ts';
import type { Origin, Setting, Source } from './sources/source.ts';
import type { Section } from './values/field.ts';
import { fieldPath } from './values/field-path.ts';

/** Where the value of a field comes from. */
export interface FieldOrigin {
  readonly field: string;
  readonly source: Origin;
}

export type ResolvedConfig =
  | {
      readonly ok: true;
      readonly config: Config;
      /** Every field, in the order of the schema. */
      readonly origins: readonly FieldOrigin[];
      readonly warnings: readonly Warning[];
    }
  | {
      readonly ok: false;
      readonly errors: readonly Problem[];
      readonly warnings: readonly Warning[];
    };

interface Value {
  readonly value: unknown;
  readonly origin: Origin;
  readonly setting?: Setting;
}

/** Merges the sources, a later one taking precedence, and checks every value that any of them gives. */
export function resolveConfig(sources: readonly Source[]): ResolvedConfig {
  const given = new Map<string, Value>();
  const faulty = new Set<string>();
  const problems = sources.flatMap((source) => readSource(source, given, faulty));
  const lookUp = (named: NamedField) => effectiveValue(named, given);
  // The schema that gave `Config` its type gives this object its members.
  const config = buildSection(SETTINGS, [], lookUp) as Config;
  const broken = CROSS_FIELD_RULES.filter(
    (rule) => ![rule.field, ...rule.with].some((path) => faulty.has(path)) && rule.isBroken(config),
  );
  const errors = [
    ...problems,
    ...broken.filter((rule) => rule.severity === 'error').map((rule) => toProblem(rule, lookUp)),
  ];
  const warnings = broken
    .filter((rule) => rule.severity === 'warning')
    .map(({ field, message }) => ({ field, message }));
  if (errors.length > 0) return { ok: false, errors, warnings };
  const origins = FIELDS.map((named) => ({ field: named.path, source: lookUp(named).origin }));
  return { ok: true, config, origins, warnings };
}

function readSource(
  source: Source,
  given: Map<string, Value>,
  faulty: Set<string>,
): readonly Problem[] {
  const problems = [...source.problems];
  for (const setting of source.settings) {
    const { path, segments, field } = setting.named;
    const reading = field.read(setting.raw);
    if (reading.ok) {
      given.set(path, { value: reading.value, origin: source.origin, setting });
      continue;
    }
    faulty.add(path);
    for (const { at, message } of reading.faults) {
      const line = setting.lineOf?.(at);
      problems.push({
        field: fieldPath([...segments, ...at]),
        source: setting.source,
        ...(line === undefined ? {} : { line }),
        message,
      });
    }
  }
  return problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

function effectiveValue(named: NamedField, given: ReadonlyMap<string, Value>): Value {
  const { default: value, inherits = '' } = named.field;
  return given.get(named.path) ?? given.get(inherits) ?? { value, origin: 'default' };
}

function buildSection(
  section: Section<Entries>,
  segments: readonly string[],
  lookUp: (named: NamedField) => Value,
): object {
  const members = Object.entries(section.entries).map(([key, node]) => {
    const path = [...segments, key];
    if (node.kind === 'section') return [key, buildSection(node, path, lookUp)];
    const named = fieldByPath.get(fieldPath(path));
    return [key, named && lookUp(named).value];
  });
  return Object.fromEntries(members);
}

/** A broken rule is reported at the first of its fields that was set. */
function toProblem(rule: CrossFieldRule, lookUp: (named: NamedField) => Value): Problem {
  const { field, message } = rule;
  const setting = [field, ...rule.with]
    .map((path) => fieldByPath.get(path))
    .map((named) => named && lookUp(named))
    .find((value) => value && value.origin !== 'default')?.setting;
  const line = setting?.lineOf?.([]);
  return {
    field,
    source: setting?.source ?? 'default',
    ...(line === undefined ? {} : { line }),
    message,
  };
}
