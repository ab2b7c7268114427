import type { Field, Section } from '../values/field.ts';
import { environmentName, fieldPath } from '../values/field-path.ts';
import { SETTINGS } from './settings.ts';

/** A field and its names. */
export interface NamedField {
  /** `server.jobs.max_running`. */
  readonly path: string;
  readonly segments: readonly string[];
  /** `IMAGE_BRIDGE__SERVER__JOBS__MAX_RUNNING`. */
  readonly environment: string;
  readonly field: Field<unknown>;
}

/** A part of the schema: a field, or a section of further nodes. */
export type Node = Field<unknown> | Section<Entries>;

export interface Entries {
  readonly [key: string]: Node;
}

/** Every setting, in the order of the schema; those of the providers once for each registered name. */
export const FIELDS: readonly NamedField[] = fieldsOf(SETTINGS, []);

/** The setting of that path; undefined for an unknown one and for a section. */
export const fieldByPath: ReadonlyMap<string, NamedField> = new Map(
  FIELDS.map((named) => [named.path, named]),
);

export const fieldByVariable: ReadonlyMap<string, NamedField> = new Map(
  FIELDS.map((named) => [named.environment, named]),
);

function fieldsOf(node: Node, segments: readonly string[]): readonly NamedField[] {
  if (node.kind === 'field') {
    const environment = environmentName(segments);
    return [{ path: fieldPath(segments), segments, environment, field: node }];
  }
  return Object.entries(node.entries).flatMap(([key, entry]) =>
    fieldsOf(entry, [...segments, key]),
  );
}
