import * as v from 'valibot';
import { toRequestIssues } from '../../contract/schema/issues.ts';
import type { Fault, Field, Segment } from './field.ts';
import { isTable, tableOf } from './field-collections.ts';
import { NAME } from './text-rules.ts';

/**
 * Creates a field for values of one schema under names chosen by the operator. The object has no prototype: `__proto__` is
 * an ordinary name.
 */
export function schemaMap<T>(row: {
  readonly about: string;
  readonly expects: string;
  /** The schema of a value. Its messages state what a value must be and never quote the value. */
  readonly schema: v.GenericSchema<unknown, T>;
}): Field<{ readonly [name: string]: T }> {
  const { about, expects, schema } = row;
  return tableOf({ about, expects, keys: NAME }, (entry) => {
    const parsed = v.safeParse(schema, withNumbers(entry));
    return parsed.success
      ? { ok: true, value: parsed.output }
      : { ok: false, faults: parsed.issues.map(toFault) };
  });
}

function toFault(issue: v.BaseIssue<unknown>): Fault {
  const at = (issue.path ?? []).map(({ key }) => key as Segment);
  return { at, message: toRequestIssues([issue])[0]?.message ?? 'is not valid' };
}

/** Converts the bigint integers of a TOML value to numbers. */
function withNumbers(raw: unknown): unknown {
  if (typeof raw === 'bigint') return Number(raw);
  if (Array.isArray(raw)) return raw.map(withNumbers);
  if (!isTable(raw)) return raw;
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, withNumbers(value)]));
}
