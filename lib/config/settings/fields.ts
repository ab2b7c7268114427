import {
  environmentName,
  type Field,
  fieldPath,
  type Keyed,
  type Section,
} from '../values/field.ts';
import { nearestName } from '../values/nearest-name.ts';
import { PROVIDER_NAME } from '../values/text-rules.ts';
import { SETTINGS } from './settings.ts';

/** A setting, with its path and its environment variable. */
export interface NamedField {
  /** The path, such as `server.jobs.max_running`. */
  readonly path: string;
  readonly segments: readonly string[];
  /** The environment variable, such as `IMAGE_BRIDGE__SERVER__JOBS__MAX_RUNNING`. */
  readonly environment: string;
  readonly field: Field<unknown>;
}

/** One entry of a keyed section, such as `openai` in `providers.openai_images`. */
export interface EntryKey {
  readonly section: string;
  readonly keys: Keyed<Entries>['keys'];
  readonly name: string;
}

/** A part of the schema: a field, or a section that contains other parts. */
export type Node = Field<unknown> | Section<Entries> | Keyed<Entries>;

export interface Entries {
  readonly [key: string]: Node;
}

/** Returns the keys of a keyed section, in order. */
export type KeysOf = (section: Keyed<Entries>, path: string) => readonly string[];

const UNKNOWN = 'is not a known setting';
const SECTION = 'is a section, not a setting: set one of its fields';

/** Returns every setting, in the order of the schema. The settings of a keyed section are repeated for each of its keys. */
export function listFields(
  keysOf: KeysOf,
  node: Node = SETTINGS,
  segments: readonly string[] = [],
): readonly NamedField[] {
  if (node.kind === 'field') return [toNamed(segments, node)];
  return membersOf(node, segments, keysOf).flatMap(([key, member]) =>
    listFields(keysOf, member, [...segments, key]),
  );
}

/** Returns the members of a section with their keys. */
export function membersOf(
  node: Section<Entries> | Keyed<Entries>,
  segments: readonly string[],
  keysOf: KeysOf,
): readonly (readonly [string, Node])[] {
  return node.kind === 'section'
    ? Object.entries(node.entries)
    : keysOf(node, fieldPath(segments)).map((key) => [key, node.entry] as const);
}

/** Returns the member of a section with this key, or a text that completes "the field …" if no member has the key. */
export function memberOf(node: Node, key: string): Node | string {
  if (node.kind === 'keyed') {
    return PROVIDER_NAME.accepts(key) ? node.entry : `must be ${PROVIDER_NAME.expects}`;
  }
  const members = node.kind === 'section' ? node.entries : {};
  const found = Object.hasOwn(members, key) ? members[key] : undefined;
  if (found !== undefined) return found;
  const near = nearestName(key, Object.keys(members));
  return near === undefined ? UNKNOWN : `${UNKNOWN}; did you mean ${near}?`;
}

/** Returns the setting of an environment variable, or a text that completes "the field …" if no setting has the variable. */
export function fieldOfVariable(variable: string, tail: string): NamedField | string {
  const found = fieldAt(segmentsOf(SETTINGS, tail.toLowerCase()));
  return typeof found === 'string' || found.environment === variable ? found : UNKNOWN;
}

/** Returns the entry that contains a field, or undefined for a field outside keyed sections. */
export function entryOf({ segments }: NamedField): EntryKey | undefined {
  const path = segments.slice(0, -2);
  const node = nodeAt(path);
  if (typeof node === 'string' || node.kind !== 'keyed') return undefined;
  return { section: fieldPath(path), keys: node.keys, name: segments.at(-2) ?? '' };
}

export function toNamed(segments: readonly string[], field: Field<unknown>): NamedField {
  return { path: fieldPath(segments), segments, environment: environmentName(segments), field };
}

/** Returns the setting at a path, or a text that completes "the field …" if the path names no setting. */
export function fieldAt(segments: readonly string[]): NamedField | string {
  const node = nodeAt(segments);
  if (typeof node === 'string') return node;
  return node.kind === 'field' ? toNamed(segments, node) : SECTION;
}

function nodeAt(segments: readonly string[]): Node | string {
  return segments.reduce<Node | string>(
    (found, key) => (typeof found === 'string' ? found : memberOf(found, key)),
    SETTINGS,
  );
}

/**
 * Returns the keys that the tail of a variable names below a node. In a variable, each hyphen of the name of a provider is
 * `_`. A name may therefore contain `__`, which otherwise separates keys.
 */
function segmentsOf(node: Node, tail: string): readonly string[] {
  const [key = '', ...rest] = tail.split('__');
  if (node.kind === 'keyed') {
    const field = Object.keys(node.entry.entries).find((one) => tail.endsWith(`__${one}`));
    if (field === undefined) return [key.replaceAll('_', '-'), ...rest];
    return [tail.slice(0, -field.length - 2).replaceAll('_', '-'), field];
  }
  const member = memberOf(node, key);
  if (typeof member === 'string' || rest.length === 0) return [key, ...rest];
  return [key, ...segmentsOf(member, rest.join('__'))];
}
