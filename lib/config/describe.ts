import { listFields } from './settings/fields.ts';

/** All that an operator should know of one setting. */
export interface SettingDescription {
  /** In a section with an entry for each provider, `<name>` is the registered name. */
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
  return listFields(() => ['<name>']).map(({ path, environment, field }) => ({
    // The placeholder is no key that a file could hold, and reads better unquoted.
    field: path.replace('"<name>"', '<name>'),
    environment,
    expects: field.expects,
    default: field.inherits === undefined ? defaultText(field) : `as \`${field.inherits}\``,
    about: field.about,
  }));
}

function defaultText(field: { readonly default: unknown; readonly unset?: string }): string {
  return field.unset ?? `\`${JSON.stringify(field.default)}\``;
}
