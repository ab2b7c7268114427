import type { Problem } from '../problem.ts';
import type { EntryKey, NamedField } from '../settings/fields.ts';
import type { Segment } from '../values/field.ts';

/** The kind of source of a value. Each kind takes precedence over the kinds before it. */
export type Origin = 'default' | 'file' | 'environment' | 'override';

/** An unchecked value of a source for a known field. */
export interface Setting {
  readonly named: NamedField;
  readonly raw: unknown;
  /** The path of the file as it was given, the name of the variable, or the flag. */
  readonly source: string;
  /** Returns the line of a path inside the value. Only for values from a file. */
  readonly lineOf?: (at: readonly Segment[]) => number;
}

/** An entry of a keyed section in a source, with its position. */
export interface GivenEntry extends EntryKey {
  readonly source: string;
  readonly line?: number;
}

export interface Source {
  readonly origin: Origin;
  readonly settings: readonly Setting[];
  readonly entries: readonly GivenEntry[];
  /** The problems of values that belong to no known field or cannot be read. */
  readonly problems: readonly Problem[];
}
