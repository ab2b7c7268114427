/** Whether a provider has the login of the agent. All others have an API key, or need nothing. */
export function hasLogin(provider: string): boolean {
  return provider === 'agent-responses' || provider === 'agent-app-server';
}
