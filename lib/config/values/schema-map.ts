import * as v from 'valibot';
import { toRequestIssues } from '../../contract/schema/issues.ts';
import { type Fault, type Field, mustBe, type Segment } from './field.ts';
import { isTable } from './field-collections.ts';
import { NAME } from './text-rules.ts';

/** Values of one schema under names that the operator chooses. The object has no prototype: `__proto__` is a name like any other. */
export function schemaMap<T>(row: {
  readonly about: string;
  readonly expects: string;
  /** Its messages say what a value must be, and quote nothing. */
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
        const parsed = v.safeParse(schema, withNumbers(entry));
        if (!NAME.accepts(name)) {
          faults.push({ at: [name], message: `must have a key that is ${NAME.expects}` });
        } else if (parsed.success) value[name] = parsed.output;
        else faults.push(...parsed.issues.map((issue) => toFault(name, issue)));
      }
      return faults.length > 0 ? { ok: false, faults } : { ok: true, value };
    },
  };
}

function toFault(name: string, issue: v.BaseIssue<unknown>): Fault {
  const inside = (issue.path ?? []).map(({ key }) => key as Segment);
  const message = toRequestIssues([issue])[0]?.message ?? 'is not valid';
  return { at: [name, ...inside], message };
}

/** A TOML value with its integers, which arrive as bigint, as numbers. */
function withNumbers(raw: unknown): unknown {
  if (typeof raw === 'bigint') return Number(raw);
  if (Array.isArray(raw)) return raw.map(withNumbers);
  if (!isTable(raw)) return raw;
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, withNumbers(value)]));
}
