import { describeSettings, type SettingDescription } from './describe.ts';
import { SINGLE_NAMES } from './settings/provider-names.ts';

const INTRODUCTION = `# Settings

Image Bridge reads one TOML file. \`--config\` names it, else the variable \`IMAGE_BRIDGE_CONFIG\`, else it is \`image-bridge.toml\`
in the working directory, else \`image-bridge/image-bridge.toml\` in the user's configuration folder (\`XDG_CONFIG_HOME\`, else
\`~/.config\`), which \`setup\` writes and \`quickstart\` leaves out. Without a file the defaults hold. \`image-bridge config check\` finds every
mistake at once and changes nothing; \`config show\` prints what is in force, \`config origins\` where each value comes from.

Each source takes precedence over those before it: default, file, environment, \`--set field=value\`. A list or a table of texts is
replaced as a whole. \`image-bridge quickstart\` brings some defaults of its own. An unknown setting is an error wherever
it stands.

In variables and \`--set\` a text field takes the text as it is; every other field takes a TOML value, such as \`8\`, \`true\`,
\`[443, 8443]\` or \`{"dall-e-3" = "gpt-image-2"}\`, or one of its words, such as \`unlimited\`.

Below \`runtime\` \`<name>\` is the registered name of a provider: ${SINGLE_NAMES.map((name) => `\`${name}\``).join(', ')}, or one that the
settings name themselves. Below \`providers\` it is the name of a provider that you add: any number of each kind, each under
a name of its own (lowercase letters, digits and \`-\`), which requests, \`default_provider\`, fallbacks and metrics then use.
In the name of a variable \`<NAME>\` is the same in capitals with \`_\` for \`-\`. Names that end in \`_ms\` are milliseconds, in \`_secs\` seconds, in \`_bytes\` bytes.
2^53 − 1 is 9007199254740991. [\`example.toml\`](../infra/configuration/example.toml) is a file to start from.
`;

/** The reference page in Markdown; `docs/configure.md` holds it. */
export function configReferencePage(): string {
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
