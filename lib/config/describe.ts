import type { Entries, Node } from './settings/fields.ts';
import { SETTINGS } from './settings/settings.ts';
import type { Section } from './values/field.ts';
import { environmentName, fieldPath } from './values/field-path.ts';

/** All that an operator should know of one setting. */
export interface SettingDescription {
  /** Below a section for each provider, `<name>` is the registered name. */
  readonly field: string;
  readonly environment: string;
  /** Type and bounds. */
  readonly expects: string;
  /** As it would be written in the file, or what holds without a value. */
  readonly default: string;
  readonly about: string;
}

/** Every setting once, in the order of the schema. */
export function describeSettings(): readonly SettingDescription[] {
  return describe(SETTINGS, []);
}

function describe(node: Node, segments: readonly string[]): readonly SettingDescription[] {
  if (node.kind === 'section') {
    return entriesOf(node).flatMap(([key, entry]) => describe(entry, [...segments, key]));
  }
  return [
    {
      // The placeholder is no key that a file could hold, and reads better unquoted.
      field: fieldPath(segments).replace('"<name>"', '<name>'),
      environment: environmentName(segments),
      expects: node.expects,
      default: node.inherits === undefined ? defaultText(node) : `as \`${node.inherits}\``,
      about: node.about,
    },
  ];
}

function entriesOf(section: Section<Entries>): readonly (readonly [string, Node])[] {
  const entries = Object.entries(section.entries);
  const [first] = entries;
  return section.perProvider && first ? [['<name>', first[1]]] : entries;
}

function defaultText(field: { readonly default: unknown; readonly unset?: string }): string {
  return field.unset ?? `\`${JSON.stringify(field.default)}\``;
}
