import type { Problem } from '../problem.ts';
import type { EntryKey, NamedField } from '../settings/fields.ts';
import type { Segment } from '../values/field.ts';

/** The layer that a value comes from; each takes precedence over those before it. */
export type Origin = 'default' | 'file' | 'environment' | 'override';

/** A value that a source gives to a known field, not yet checked. */
export interface Setting {
  readonly named: NamedField;
  readonly raw: unknown;
  /** The path of the file as it was given, the variable's name, or the flag. */
  readonly source: string;
  /** The line of a path inside the value; for values from a file. */
  readonly lineOf?: (at: readonly Segment[]) => number;
}

/** An entry of a keyed section that a source has, and where. */
export interface GivenEntry extends EntryKey {
  readonly source: string;
  readonly line?: number;
}

export interface Source {
  readonly origin: Origin;
  readonly settings: readonly Setting[];
  readonly entries: readonly GivenEntry[];
  /** What could not become a setting. */
  readonly problems: readonly Problem[];
}
