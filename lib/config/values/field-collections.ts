import * as v from 'valibot';
import { toRequestIssues } from '../../contract/schema/issues.ts';
import {
  type Fault,
  type Field,
  integerExpectation,
  mustBe,
  type Reading,
  readInteger,
  type Segment,
} from './field.ts';
import { NAME, type TextRule } from './text-rules.ts';

interface ListRow<T> {
  readonly default: readonly T[];
  readonly about: string;
  /** The minimum number of items; 0 by default. */
  readonly min?: number;
}

/** Creates a field for an ordered list of texts. */
export function textList(
  row: ListRow<string> & { readonly rule: TextRule },
): Field<readonly string[]> {
  const { rule } = row;
  return list(row, rule.expects, (item) =>
    typeof item === 'string' && rule.accepts(item) ? { ok: true, value: item } : undefined,
  );
}

export function integerList(
  row: ListRow<number> & { readonly max: number },
): Field<readonly number[]> {
  const bounds = { max: row.max };
  return list(row, integerExpectation(bounds), (item) => readInteger(item, bounds));
}

/** Creates a field for a table that maps names chosen by the operator to other names. */
export function nameMap(row: {
  readonly about: string;
}): Field<{ readonly [name: string]: string }> {
  return schemaMap({
    about: row.about,
    expects: `a table whose keys and values are each ${NAME.expects}`,
    schema: v.custom<string>(
      (value) => typeof value === 'string' && NAME.accepts(value),
      `must be ${NAME.expects}`,
    ),
  });
}

/** Returns true if a value from the TOML parser is a table. */
export function isTable(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw) && !(raw instanceof Date);
}

function list<T>(
  row: ListRow<T>,
  itemExpects: string,
  readItem: (item: unknown) => Reading<T> | undefined,
): Field<readonly T[]> {
  const { about, min = 0 } = row;
  const expects = `a list${min > 0 ? ` of at least ${min}` : ''}, each item ${itemExpects}`;
  return {
    kind: 'field',
    about,
    default: row.default,
    expects,
    isText: false,
    read(raw) {
      if (!Array.isArray(raw) || raw.length < min) return mustBe(expects);
      const readings = raw.map((item) => readItem(item) ?? mustBe(itemExpects));
      const faults = readings.flatMap((reading, index) =>
        reading.ok ? [] : reading.faults.map((fault) => ({ ...fault, at: [index, ...fault.at] })),
      );
      return faults.length > 0
        ? { ok: false, faults }
        : { ok: true, value: readings.flatMap((reading) => (reading.ok ? [reading.value] : [])) };
    },
  };
}

/**
 * Creates a field for a table that maps names chosen by the operator to values of one schema. The object has no prototype, so
 * `__proto__` is an ordinary name.
 */
export function schemaMap<T>(row: {
  readonly about: string;
  readonly expects: string;
  /** The schema of a value. Each message states the expected value and never quotes the actual value. */
  readonly schema: v.GenericSchema<unknown, T>;
}): Field<{ readonly [name: string]: T }> {
  const { about, expects, schema } = row;
  return {
    kind: 'field',
    about,
    default: Object.create(null),
    expects,
    isText: false,
    read(raw) {
      if (!isTable(raw)) return mustBe(expects);
      const value: Record<string, T> = Object.create(null);
      const faults: Fault[] = [];
      for (const [name, entry] of Object.entries(raw)) {
        if (!NAME.accepts(name)) {
          faults.push({ at: [name], message: `must have a key that is ${NAME.expects}` });
          continue;
        }
        const parsed = v.safeParse(schema, withNumbers(entry));
        if (parsed.success) value[name] = parsed.output;
        else faults.push(...parsed.issues.map((issue) => toFault(name, issue)));
      }
      return faults.length > 0 ? { ok: false, faults } : { ok: true, value };
    },
  };
}

function toFault(name: string, issue: v.BaseIssue<unknown>): Fault {
  const at = [name, ...(issue.path ?? []).map(({ key }) => key as Segment)];
  return { at, message: toRequestIssues([issue])[0]?.message ?? 'is not valid' };
}

/** Converts the bigint integers of a TOML value to numbers. */
function withNumbers(raw: unknown): unknown {
  if (typeof raw === 'bigint') return Number(raw);
  if (Array.isArray(raw)) return raw.map(withNumbers);
  if (!isTable(raw)) return raw;
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, withNumbers(value)]));
}
