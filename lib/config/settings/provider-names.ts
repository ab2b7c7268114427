/** The registered names of the providers: what requests, logs and metrics call them. */
export const PROVIDER_NAMES = ['agent-responses', 'agent-app-server', 'sandbox'] as const;

export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** The key of a provider's own settings: `providers.agent_responses`. */
export type ProviderKey = (typeof PROVIDER_KEYS)[ProviderName];

export const PROVIDER_KEYS = {
  'agent-responses': 'agent_responses',
  'agent-app-server': 'agent_app_server',
  sandbox: 'sandbox',
} as const satisfies Record<ProviderName, string>;
