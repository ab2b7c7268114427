import type { TextRule } from './text-rules.ts';

/** Where inside a field's value something is wrong: `[]` is the value itself. */
export type Segment = string | number;

export interface Fault {
  readonly at: readonly Segment[];
  /** Completes "the field …"; never holds the value, which may be a secret. */
  readonly message: string;
}

export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/** One setting: all that the loader, the commands and the reference page know of it. */
export interface Field<T> {
  readonly kind: 'field';
  /** One sentence for the operator. */
  readonly about: string;
  readonly default: T;
  /** How the default is written where it is undefined. */
  readonly unset?: string;
  /** The path of the field whose value is the default of this one. */
  readonly inherits?: string;
  /** Completes "must be …": type and bounds. */
  readonly expects: string;
  /** Whether the environment and flags give it as it is, instead of as a TOML value. */
  readonly isText: boolean;
  /** Checks a TOML value; a TOML integer arrives as bigint, a TOML float as number. */
  read(raw: unknown): Reading<T>;
}

/** A table of settings. */
export interface Section<E> {
  readonly kind: 'section';
  readonly entries: E;
}

/** A table under the names of providers; each holds the same settings. */
export interface Keyed<E> {
  readonly kind: 'keyed';
  readonly entry: Section<E>;
  /** `own`: each key is the name of a provider that it adds. `registered`: the names of all providers. */
  readonly keys: 'own' | 'registered';
  readonly rules: readonly EntryRule<SettingsOf<Section<E>>>[];
}

/** What must hold between the fields of one entry of a keyed section. */
export interface EntryRule<S> {
  /** Where it is reported, as a key of the entry. */
  readonly field: string;
  /** The other fields that it reads. */
  readonly with: readonly string[];
  /** A warning lets the bridge start. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
  // A method, so that a rule of one section is also a rule of any section.
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

interface Common<T> {
  readonly default: T;
  readonly about: string;
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

export function section<const E>(entries: E): Section<E> {
  return { kind: 'section', entries };
}

/** A table for each name, each with the settings of `entry`. */
export function keyed<const E>(
  keys: Keyed<E>['keys'],
  entry: Section<E>,
  rules: Keyed<E>['rules'] = [],
): Keyed<E> {
  return { kind: 'keyed', keys, entry, rules };
}

/** A whole number: at least 1 unless the row says otherwise, and never above 2^53 - 1. */
export function integer(row: Common<number> & Bounds): Field<number> {
  return {
    ...common(row, integerExpectation(row)),
    read: (raw) => readInteger(raw, row) ?? mustBe(integerExpectation(row)),
  };
}

/** A whole number, or one of a few words in place of it. */
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

/** A bound that can be absent. */
export function limit(row: Common<number | 'unlimited'> & Bounds): Field<number | 'unlimited'> {
  return integerOr('unlimited', row);
}

export function flag(row: Common<boolean>): Field<boolean> {
  const expects = 'true or false';
  return {
    ...common(row, expects),
    read: (raw) => (typeof raw === 'boolean' ? { ok: true, value: raw } : mustBe(expects)),
  };
}

/** `unset` says on the reference page what holds by default, where the default itself does not. */
export function text(
  row: Common<string> & { readonly rule: TextRule; readonly unset?: string },
): Field<string> {
  const { rule, unset } = row;
  return {
    ...common(row, rule.expects),
    ...(unset === undefined ? {} : { unset }),
    isText: true,
    read: textReader(rule),
  };
}

/** A text that has no default; `unset` says on the reference page what holds without it. */
export function optionalText(row: {
  readonly about: string;
  readonly rule: TextRule;
  readonly unset: string;
}): Field<string | undefined> {
  return {
    ...common({ about: row.about, default: undefined }, row.rule.expects),
    unset: row.unset,
    isText: true,
    read: textReader(row.rule),
  };
}

/** One of a closed set of words. */
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

/** A reading that failed as a whole. */
export function mustBe(expects: string): Reading<never> {
  return { ok: false, faults: [{ at: [], message: `must be ${expects}` }] };
}

export function integerExpectation({ min = 1, max = Number.MAX_SAFE_INTEGER }: Bounds): string {
  if (min === max) return `the integer ${min}`;
  const most = max === Number.MAX_SAFE_INTEGER ? '2^53 − 1' : String(max);
  return `an integer from ${min} to ${most}`;
}

/** Undefined when the value is no integer within the bounds. */
export function readInteger(
  raw: unknown,
  { min = 1, max = Number.MAX_SAFE_INTEGER }: Bounds,
): Reading<number> | undefined {
  return typeof raw === 'bigint' && raw >= min && raw <= max
    ? { ok: true, value: Number(raw) }
    : undefined;
}

function textReader(rule: TextRule) {
  return (raw: unknown): Reading<string> =>
    typeof raw === 'string' && rule.accepts(raw) ? { ok: true, value: raw } : mustBe(rule.expects);
}

function common<T>(row: Common<T>, expects: string) {
  return { kind: 'field', about: row.about, default: row.default, expects, isText: false } as const;
}
