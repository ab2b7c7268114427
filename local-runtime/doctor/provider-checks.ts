import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  type RegisteredProvider,
  registeredProviders,
} from '../../lib/config/settings/provider-names.ts';
import { createImageEngine } from '../../lib/images/image-engine.ts';
import { createHttpClient } from '../../lib/net/http-client.ts';
import { createIds } from '../../lib/platform/ids.ts';
import { createTimeSlices } from '../../lib/platform/time-slices.ts';
import { createApiKeySource } from '../../lib/providers/credentials/api-key.ts';
import { agentHome, findLoginProblem } from '../../lib/providers/credentials/login-file.ts';
import { enabledProviders } from '../../lib/providers/enabled-providers.ts';
import type { Provider } from '../../lib/providers/provider-port.ts';
import { type Examined, type Finding, good, warning } from './finding.ts';

const READABLE_BY_ALL = 0o004;

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
  const registered = registeredProviders(examined.config).find((one) => one.name === name);
  const readiness = await provider.probe(examined.signal);
  if (readiness.ready) return (await findOpenKey(check, registered)) ?? good(check, READY);
  // The others are asked for by name only.
  const level = name === examined.config.default_provider ? 'bad' : 'warning';
  return { check, level, ...(await explain(registered, readiness.errorCode, examined)) };
}

const READY = 'it can take requests; nothing was asked of its backend';

/** A key that every user of the machine can read. It works, and may be meant so where secrets are mounted. */
async function findOpenKey(
  check: string,
  registered: RegisteredProvider | undefined,
): Promise<Finding | undefined> {
  const settings = registered?.settings;
  if (!settings || !('api_key_file' in settings) || settings.api_key_file === undefined) return;
  const file = resolve(settings.api_key_file);
  // It may have been removed since the probe.
  const found = await stat(file).catch(() => undefined);
  return found === undefined || (found.mode & READABLE_BY_ALL) === 0
    ? undefined
    : warning(
        check,
        `every user of this machine can read its API key (${file})`,
        `chmod 600 ${file}`,
      );
}

/** Why a provider is not ready, and what to do. */
async function explain(
  registered: RegisteredProvider | undefined,
  errorCode: string,
  { env, clock, signal }: Examined,
): Promise<{ readonly message: string; readonly advice: string }> {
  const { path = 'providers', settings } = registered ?? {};
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
      advice:
        settings.api_key_file === undefined
          ? `Set the variable ${settings.api_key_env} where the bridge starts, or let ${path}.api_key_file name a file.`
          : `Write the key to ${resolve(settings.api_key_file)} as a file that only its owner may write (chmod 600).`,
    };
  }
  if (errorCode === 'configuration' && settings && 'workflows' in settings) {
    return {
      message: 'one of its workflows cannot be read, or lacks a node or an input that is bound',
      advice: `Export the workflows again for the API, and compare them with ${path}.workflows.`,
    };
  }
  return {
    message: errorCode === 'authentication' ? 'it has no credentials' : 'it cannot be started',
    advice: `See the settings ${path}: image-bridge config show`,
  };
}
