/** The provider that a new configuration uses. */
export type ProposedProvider =
  | { readonly name: 'agent-responses' | 'sandbox' }
  | {
      readonly name: string;
      readonly kind: 'openai_images' | 'gemini';
      /** The variable that holds its API key. */
      readonly variable: string;
    };

interface Proposal {
  readonly provider: ProposedProvider;
  readonly state: string;
  readonly artifacts: string;
}

/** The text of a configuration file that leaves all else at its default. */
export function proposedConfig({ provider, state, artifacts }: Proposal): string {
  return `# Every setting and its value: image-bridge config show
version = 1
default_provider = ${toToml(provider.name)}

[state]
directory = ${toToml(state)}

[artifacts]
root = ${toToml(artifacts)}
${providerSettings(provider)}`;
}

function providerSettings(provider: ProposedProvider): string {
  if ('kind' in provider) {
    const { kind, name, variable } = provider;
    return `
[providers.${kind}.${name}]
# The variable that holds the API key; api_key_file names a file instead.
api_key_env = ${toToml(variable)}

# Without the login of the agent.
[providers.agent_responses]
enabled = false
`;
  }
  return provider.name === 'sandbox' ? '\n[providers.sandbox]\nenabled = true\n' : '';
}

/** A basic string of TOML 1.0 has the escapes of JSON, and no delete character. */
function toToml(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
