import { listFields } from './settings/fields.ts';

/** The documentation of one setting. */
export interface SettingDescription {
  /** The path of the setting. `<name>` stands for the registered name in a section with an entry for each provider. */
  readonly field: string;
  readonly environment: string;
  /** The type and the bounds. */
  readonly expects: string;
  /** The default as it would be written in the file, or a text that explains the behaviour without a value. */
  readonly default: string;
  readonly about: string;
}

/** Returns the documentation of every setting, in the order of the schema. */
export function describeSettings(): readonly SettingDescription[] {
  return listFields(() => ['<name>']).map(({ path, environment, field }) => ({
    // The placeholder is not a valid key of a file, and is easier to read without quotes.
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
