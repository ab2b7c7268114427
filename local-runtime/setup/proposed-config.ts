interface Proposal {
  readonly provider: 'agent-responses' | 'sandbox';
  readonly state: string;
  readonly artifacts: string;
}

/** The text of a configuration file that leaves all else at its default. */
export function proposedConfig({ provider, state, artifacts }: Proposal): string {
  const sandbox = provider === 'sandbox' ? '\n[providers.sandbox]\nenabled = true\n' : '';
  return `# Every setting and its value: image-bridge config show
version = 1
default_provider = ${toToml(provider)}

[state]
directory = ${toToml(state)}

[artifacts]
root = ${toToml(artifacts)}
${sandbox}`;
}

/** A basic string of TOML 1.0 has the escapes of JSON, and no delete character. */
function toToml(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
