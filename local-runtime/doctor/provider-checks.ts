import { PROVIDER_KEYS } from '../../lib/config/settings/provider-names.ts';
import { toProviderName } from '../../lib/contract/resources/provider-name.ts';
import { createImageEngine } from '../../lib/images/image-engine.ts';
import { createHttpClient } from '../../lib/net/http-client.ts';
import { createIds } from '../../lib/platform/ids.ts';
import { createTimeSlices } from '../../lib/platform/time-slices.ts';
import { agentHome, findLoginProblem } from '../../lib/providers/credentials/agent-login.ts';
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
  const key = PROVIDER_KEYS.find((one) => toProviderName(one) === name) ?? name;
  const settings = Object.entries(config.providers).find(([own]) => own === key)?.[1];
  if (errorCode !== 'authentication' || !settings || !('home' in settings)) {
    return {
      message: errorCode === 'authentication' ? 'it has no credentials' : 'it cannot be started',
      advice: `See the settings providers.${key}: image-bridge config show`,
    };
  }
  const home = agentHome(settings.home, env);
  const problem = await findLoginProblem(home, clock, signal);
  return {
    message: `${problem ?? 'the login has expired and cannot be renewed'} (${home})`,
    advice: `Log the agent in (codex login), or set providers.${key}.home to the folder of its auth.json.`,
  };
}
