import { OWN_PROVIDER } from '../contract/request/own-work.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { Problem, Warning } from './problem.ts';
import {
  type Entries,
  type KeysOf,
  listFields,
  membersOf,
  type NamedField,
  toNamed,
} from './settings/fields.ts';
import { SINGLE_NAMES } from './settings/provider-names.ts';
import { crossFieldRules } from './settings/rules.ts';
import { type Config, SETTINGS } from './settings/settings.ts';
import type { GivenEntry, Origin, Setting, Source } from './sources/source.ts';
import { fieldPath, type Keyed, type Rule, type Section, type SettingsOf } from './values/field.ts';

/** The source of the value of a field. */
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

/** Merges the sources and checks every value of every source. A later source takes precedence. */
export function resolveConfig(
  sources: readonly Source[],
  clock: Pick<Clock, 'nowMs'> = systemClock,
): ResolvedConfig {
  const given = new Map<string, Value>();
  const faulty = new Set<string>();
  const problems = sources.flatMap((source) => readSource(source, given, faulty));
  const { keysOf, entries, problems: nameProblems } = readNames(sources);
  const lookUp = ({ path, field: { default: value, inherits = '' } }: NamedField): Value =>
    given.get(path) ?? given.get(inherits) ?? { value, origin: 'default' };
  // The cast is safe because the type `Config` is derived from the same schema.
  const config = buildSection(SETTINGS, [], { keysOf, lookUp }) as Config;
  const nowMs = clock.nowMs();
  const broken = crossFieldRules(config).filter(
    (rule) =>
      ![rule.field, ...rule.with].some((path) => faulty.has(path)) && rule.isBroken(config, nowMs),
  );
  const errors = [
    ...problems,
    ...nameProblems,
    ...broken.filter((rule) => !rule.isWarning).map((rule) => toProblem(rule, given, entries)),
  ];
  const warnings = broken
    .filter((rule) => rule.isWarning)
    .map(({ field, message }) => ({ field, message }));
  if (errors.length > 0) return { ok: false, errors, warnings };
  const origins = listFields(keysOf).map((named) => ({
    field: named.path,
    source: lookUp(named).origin,
  }));
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
      const named = fieldPath([...segments, ...at]);
      problems.push({ field: named, source: setting.source, line: setting.lineOf?.(at), message });
    }
  }
  return problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

function buildSection(
  section: Section<Entries> | Keyed<Entries>,
  segments: readonly string[],
  by: { readonly keysOf: KeysOf; readonly lookUp: (named: NamedField) => Value },
): object {
  // The object has no prototype, because `constructor` is a valid provider name.
  const built: Record<string, unknown> = Object.create(null);
  for (const [key, node] of membersOf(section, segments, by.keysOf)) {
    const path = [...segments, key];
    built[key] =
      node.kind === 'field'
        ? by.lookUp(toNamed(path, node)).value
        : withOwnDefaults(section, buildSection(node, path, by), path, by.lookUp);
  }
  return built;
}

/** Returns an entry of a keyed section with the defaults that depend on its other fields. */
function withOwnDefaults(
  section: Section<Entries> | Keyed<Entries>,
  entry: object,
  segments: readonly string[],
  lookUp: (named: NamedField) => Value,
): object {
  if (section.kind === 'section' || !section.defaultsOf) return entry;
  const { entries } = section.entry;
  // The cast is safe because the entry was built from the schema of the section.
  const defaults = section.defaultsOf(entry as SettingsOf<Section<Entries>>);
  const unset = Object.entries(defaults).filter(([key]) => {
    const field = entries[key];
    return (
      field?.kind === 'field' && lookUp(toNamed([...segments, key], field)).origin === 'default'
    );
  });
  return Object.assign(entry, Object.fromEntries(unset));
}

/** Returns the problem for a broken rule. The source is the first field of the rule that is set, else the section of the entry. */
function toProblem(
  { field, with: others, message }: Rule<Config>,
  given: ReadonlyMap<string, Value>,
  entries: readonly GivenEntry[],
): Problem {
  const setting = [field, ...others]
    .map((path) => given.get(path))
    .find((value) => value && value.origin !== 'default')?.setting;
  const entry = entries.find(({ section, name }) => field.startsWith(`${section}.${name}.`));
  return {
    field,
    source: setting?.source ?? entry?.source ?? 'default',
    line: setting ? setting.lineOf?.([]) : entry?.line,
    message,
  };
}

/** The names that no provider may have. Metrics use `global` as a scope, and `none` if an operation has no provider. */
const RESERVED: readonly string[] = ['global', 'none', OWN_PROVIDER, ...SINGLE_NAMES];

/**
 * Returns the provider names that the sources define, the first occurrence of each entry of a keyed section, and a problem
 * for each name that is reserved, repeated or not registered.
 */
function readNames(sources: readonly Source[]) {
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
    keysOf: (({ keys }, path) =>
      keys === 'registered'
        ? registered
        : own.filter(({ section }) => section === path).map(({ name }) => name)) satisfies KeysOf,
    problems: entries.flatMap((entry) => {
      const message =
        entry.keys === 'own'
          ? nameFault(entry, own)
          : registered.includes(entry.name)
            ? undefined
            : `is not a registered provider: ${registered.join(', ')}`;
      const { source, line } = entry;
      return message === undefined ? [] : [{ field: pathOf(entry), source, line, message }];
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

function pathOf({ section, name }: GivenEntry): string {
  return `${section}.${name}`;
}
