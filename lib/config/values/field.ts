import type { TextRule } from './text-rules.ts';

/** One step of a path inside the value of a field. */
export type Segment = string | number;

export interface Fault {
  readonly at: readonly Segment[];
  /** A text that completes "the field …". Never contains the value, because the value may be a secret. */
  readonly message: string;
}

export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/** A setting, with all facts that the loader, the commands and the reference page need. */
export interface Field<T> {
  readonly kind: 'field';
  /** The description for the operator. */
  readonly about: string;
  readonly default: T;
  /** The text that the reference page shows instead of the default. */
  readonly unset?: string;
  /** The path of the field whose value is the default of this field. */
  readonly inherits?: string;
  /** The type and the bounds, as a text that completes "must be …". */
  readonly expects: string;
  /** True if the value in an environment variable or a flag is the text itself. Otherwise the value is written in TOML. */
  readonly isText: boolean;
  /** Checks a TOML value. A TOML integer is a bigint, and a TOML float is a number. */
  read(raw: unknown): Reading<T>;
}

/** A table of settings. */
export interface Section<E> {
  readonly kind: 'section';
  readonly entries: E;
}

/** A table whose keys are names of providers. Each entry has the same settings. */
export interface Keyed<E> {
  readonly kind: 'keyed';
  readonly entry: Section<E>;
  /** With `own`, each key adds a provider with this name. With `registered`, the keys are the names of all providers. */
  readonly keys: 'own' | 'registered';
  /** Returns the defaults that depend on other fields of an entry. Declared as a method, as `Rule.isBroken`. */
  defaultsOf?(entry: SettingsOf<Section<E>>): Partial<SettingsOf<Section<E>>>;
  readonly rules: readonly Rule<SettingsOf<Section<E>>>[];
}

/**
 * A rule between fields that are each valid on their own: the fields of the whole configuration, or of one entry of a keyed
 * section.
 */
export interface Rule<S> {
  /** The path of the field at which a violation is reported. */
  readonly field: string;
  /** The paths of the other fields that the rule reads. The rule is skipped if one of these fields is invalid. */
  readonly with: readonly string[];
  /** True if the bridge starts in spite of a violation. */
  readonly isWarning?: true;
  readonly message: string;
  // Declared as a method, because the bivariance of methods lets rules for different sections share one list.
  isBroken(settings: S, nowMs: number): boolean;
}

/** The configuration that a section describes. */
export type SettingsOf<N> =
  N extends Field<infer T>
    ? T
    : N extends Section<infer E>
      ? { readonly [K in keyof E]: SettingsOf<E[K]> }
      : N extends Keyed<infer E>
        ? { readonly [name: string]: SettingsOf<Section<E>> }
        : never;

type Common<T> = Pick<Field<T>, 'default' | 'about'>;

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

export function section<const E>(entries: E): Section<E> {
  return { kind: 'section', entries };
}

/** Creates a table with the settings of `entry` for each name. */
export function keyed<const E>(
  keys: Keyed<E>['keys'],
  entry: Section<E>,
  rules: Keyed<E>['rules'] = [],
  defaultsOf?: Keyed<E>['defaultsOf'],
): Keyed<E> {
  return { kind: 'keyed', keys, entry, rules, ...(defaultsOf ? { defaultsOf } : {}) };
}

/** Creates a field for an integer from 1 to 2^53 - 1, unless the row has other bounds. */
export function integer(row: Common<number> & Bounds): Field<number> {
  return {
    ...common(row, integerExpectation(row)),
    read: (raw) => readInteger(raw, row) ?? mustBe(integerExpectation(row)),
  };
}

/** Creates a field for an integer or for one of the words. */
export function integerOr<const W extends string>(
  words: W | readonly W[],
  row: Common<number | W> & Bounds,
): Field<number | W> {
  const all = [words].flat() as readonly W[];
  const expects = `${integerExpectation(row)}, or ${all.map((word) => `"${word}"`).join(' or ')}`;
  return {
    ...common(row, expects),
    read(raw) {
      const value = all.find((word) => word === raw);
      return value === undefined ? (readInteger(raw, row) ?? mustBe(expects)) : { ok: true, value };
    },
  };
}

export function flag(row: Common<boolean>): Field<boolean> {
  const expects = 'true or false';
  return {
    ...common(row, expects),
    read: (raw) => (typeof raw === 'boolean' ? { ok: true, value: raw } : mustBe(expects)),
  };
}

/** Creates a field for a text. The reference page shows `unset` instead of the default. */
export function text({
  rule,
  ...row
}: Common<string> & Pick<Field<string>, 'unset'> & { readonly rule: TextRule }): Field<string> {
  return {
    ...row,
    ...common(row, rule.expects),
    isText: true,
    read: (raw) =>
      typeof raw === 'string' && rule.accepts(raw)
        ? { ok: true, value: raw }
        : mustBe(rule.expects),
  };
}

/** Creates a field for a text without a default. The text `unset` explains the behaviour without a value. */
export function optionalText(
  row: Omit<Parameters<typeof text>[0], 'default'>,
): Field<string | undefined> {
  return { ...text({ unset: 'unset', ...row, default: '' }), default: undefined };
}

/** Creates a field for one of a fixed set of words. */
export function choice<const W extends string>(
  words: readonly W[],
  row: Common<NoInfer<W>>,
): Field<W> {
  const expects = `one of ${words.map((word) => `"${word}"`).join(', ')}`;
  return {
    ...common(row, expects),
    isText: true,
    read(raw) {
      const value = words.find((word) => word === raw);
      return value === undefined ? mustBe(expects) : { ok: true, value };
    },
  };
}

/** Returns a reading with one fault for the whole value. */
export function mustBe(expects: string): Reading<never> {
  return { ok: false, faults: [{ at: [], message: `must be ${expects}` }] };
}

export function integerExpectation({ min = 1, max = Number.MAX_SAFE_INTEGER }: Bounds): string {
  if (min === max) return `the integer ${min}`;
  const most = max === Number.MAX_SAFE_INTEGER ? '2^53 − 1' : String(max);
  return `an integer from ${min} to ${most}`;
}

/** Returns undefined if the value is not an integer within the bounds. */
export function readInteger(
  raw: unknown,
  { min = 1, max = Number.MAX_SAFE_INTEGER }: Bounds,
): Reading<number> | undefined {
  return typeof raw === 'bigint' && raw >= min && raw <= max
    ? { ok: true, value: Number(raw) }
    : undefined;
}

function common<T>(row: Common<T>, expects: string) {
  return { kind: 'field', about: row.about, default: row.default, expects, isText: false } as const;
}

const ENVIRONMENT_PREFIX = 'IMAGE_BRIDGE__';

/**
 * Returns a path such as `server.jobs.max_running` or `inputs.remote.allowed_ports[1]`. Quotes a key with special characters,
 * and truncates a long key.
 */
export function fieldPath(segments: readonly Segment[]): string {
  return segments
    .map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${keyText(segment)}`))
    .join('')
    .replace(/^\./, '');
}

/** Returns the name of the environment variable of a setting, such as `IMAGE_BRIDGE__SERVER__JOBS__MAX_RUNNING`. */
export function environmentName(segments: readonly string[]): string {
  return `${ENVIRONMENT_PREFIX}${segments.join('__').replaceAll('-', '_').toUpperCase()}`;
}

/** Returns the part after the prefix `IMAGE_BRIDGE__`, or undefined for a variable without the prefix. */
export function tailOfVariable(name: string): string | undefined {
  return name.startsWith(ENVIRONMENT_PREFIX) ? name.slice(ENVIRONMENT_PREFIX.length) : undefined;
}

function keyText(key: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(key)) return key;
  const shown = key.length > 64 ? `${key.slice(0, 64)}…` : key;
  // Escapes control characters and characters that change the text direction, because the path may be printed on a terminal.
  return JSON.stringify(shown).replace(
    /[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
