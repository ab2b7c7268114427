import { registeredProviders } from '../../lib/config/settings/provider-names.ts';
import { createImageEngine } from '../../lib/images/image-engine.ts';
import { createHttpClient } from '../../lib/net/http-client.ts';
import { createIds } from '../../lib/platform/ids.ts';
import { createTimeSlices } from '../../lib/platform/time-slices.ts';
import { agentHome, findLoginProblem } from '../../lib/providers/credentials/agent-login.ts';
import { createApiKeySource } from '../../lib/providers/credentials/api-key.ts';
import { enabledProviders } from '../../lib/providers/enabled-providers.ts';
import type { Provider } from '../../lib/providers/provider-port.ts';
import { type Examined, type Finding, good } from './finding.ts';

/** Whether each enabled provider could be used now. No child is started, no token renewed, nothing upstream is called. */
export async function checkProviders(examined: Examined): Promise<readonly Finding[]> {
  const { config, env, clock } = examined;
  const slices = createTimeSlices(clock);
  const engine = createImageEngine({ limits: config.images, clock, slices });
  const httpClient = createHttpClient();
  const ids = createIds(clock.nowMs);
  const enabled = enabledProviders(config, { engine, httpClient, clock, ids, slices, env });
  try {
    const findings: Finding[] = [];
    for (const provider of enabled.providers)
      findings.push(await checkProvider(provider, examined));
    return findings;
  } finally {
    for (const provider of enabled.providers) await provider.close();
    await enabled.close();
    await httpClient.close();
    await engine.close();
  }
}

async function checkProvider(provider: Provider, examined: Examined): Promise<Finding> {
  const { name } = provider;
  const check = `provider ${name}`;
  const readiness = await provider.probe(examined.signal);
  if (readiness.ready) return good(check, 'its credentials can be used');
  // The others are asked for by name only.
  const level = name === examined.config.default_provider ? 'bad' : 'warning';
  return { check, level, ...(await explain(provider, readiness.errorCode, examined)) };
}

/** Why a provider is not ready, and what to do. */
async function explain(
  { name }: Provider,
  errorCode: string,
  { config, env, clock, signal }: Examined,
): Promise<{ readonly message: string; readonly advice: string }> {
  const found = registeredProviders(config).find((one) => one.name === name);
  const { path = 'providers', settings } = found ?? {};
  if (errorCode === 'authentication' && settings && 'home' in settings) {
    const home = agentHome(settings.home, env);
    const problem = await findLoginProblem(home, clock, signal);
    return {
      message: `${problem ?? 'the login has expired and cannot be renewed'} (${home})`,
      advice: `Log the agent in (codex login), or set ${path}.home to the folder of its auth.json.`,
    };
  }
  if (errorCode === 'authentication' && settings && 'api_key_file' in settings) {
    const problem = await createApiKeySource({ settings, env, clock }).problem();
    return {
      message: problem ?? 'its API key cannot be used',
      advice: `Set the variable that ${path}.api_key_env names, or let ${path}.api_key_file name a file that holds the key and that only its owner may write.`,
    };
  }
  return {
    message: errorCode === 'authentication' ? 'it has no credentials' : 'it cannot be started',
    advice: `See the settings ${path}: image-bridge config show`,
  };
}
