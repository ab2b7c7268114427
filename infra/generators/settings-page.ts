import { listFields } from '../../lib/config/settings/fields.ts';
import { SINGLE_NAMES } from '../../lib/config/settings/provider-names.ts';

/** The documentation of one setting. */
interface SettingDescription {
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

const INTRODUCTION = `# Settings

Image Bridge reads one TOML file, the first of these that is given or exists:

1. the file named by \`--config\`
2. the file named by the environment variable \`IMAGE_BRIDGE_CONFIG\`
3. \`image-bridge.toml\` in the working directory
4. \`image-bridge/image-bridge.toml\` in the user's configuration folder (\`XDG_CONFIG_HOME\`, else \`~/.config\`). \`setup\` writes
   this file, and \`quickstart\` ignores it.

Without a file, the defaults apply. [\`example.toml\`](../infra/configuration/example.toml) is a file to start from.

- \`image-bridge config check\` reports all errors at once and changes nothing.
- \`image-bridge config show\` prints the values in effect.
- \`image-bridge config origins\` prints the source of each value.

Each source takes precedence over the sources before it: default, file, environment, \`--set field=value\`. A list or a table of
texts is replaced as a whole. \`image-bridge quickstart\` changes some defaults. An unknown setting is an error in every source.

In an environment variable and in \`--set\`, the value of a text field is the text itself. The value of any other field is a TOML
value, such as \`8\`, \`true\`, \`[443, 8443]\` or \`{"dall-e-3" = "gpt-image-2"}\`, or one of the words of the field, such as
\`unlimited\`.

In the settings below \`runtime\`, \`<name>\` is the registered name of a provider: ${SINGLE_NAMES.map((name) => `\`${name}\``).join(', ')},
or a name that the settings define. In the settings below \`providers\`, \`<name>\` is the name of a provider that you add. You can
add any number of providers of each kind, each under a unique name (lowercase letters, digits and \`-\`). Requests,
\`default_provider\`, fallbacks and metrics use this name. In the name of a variable, \`<NAME>\` is the name in capitals with \`_\`
instead of \`-\`.

The suffix of a setting is its unit: \`_ms\` for milliseconds, \`_secs\` for seconds, \`_bytes\` for bytes. 2^53 − 1 is
9007199254740991.
`;

/** Returns the reference page of the settings in Markdown, which is written to `docs/configure.md`. */
export function settingsPage(): string {
  const groups = new Map<string, SettingDescription[]>();
  for (const setting of describeSettings()) {
    const group = groupOf(setting.field);
    groups.set(group, [...(groups.get(group) ?? []), setting]);
  }
  const parts = [...groups].flatMap(([group, settings]) => [
    `## ${group}\n`,
    ...settings.map(entry),
  ]);
  return [INTRODUCTION, ...parts].join('\n');
}

function groupOf(field: string): string {
  const [first = '', second = ''] = field.split('.');
  if (second === '') return 'General';
  return first === 'providers' || field.startsWith('server.jobs') ? `${first}.${second}` : first;
}

function entry({ field, environment, expects, default: fallback, about }: SettingDescription) {
  return `### \`${field}\`

${about}

- Value: ${expects}
- Default: ${fallback}
- Variable: \`${environment}\`
`;
}
