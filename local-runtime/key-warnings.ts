import type { Warning } from '../lib/config/problem.ts';
import { registeredProviders } from '../lib/config/settings/provider-names.ts';
import type { Config } from '../lib/config/settings/settings.ts';
import type { Clock } from '../lib/platform/clock.ts';
import { createApiKeySource } from '../lib/providers/credentials/api-key.ts';

interface Outside {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** What is wrong with the API keys of enabled providers. Neither keys nor paths are part of it. */
export async function keyWarnings(
  config: Config,
  { env, clock }: Outside,
): Promise<readonly Warning[]> {
  const warnings: Warning[] = [];
  for (const { path, settings } of registeredProviders(config)) {
    if (!settings.enabled || !('api_key_file' in settings)) continue;
    const message = await createApiKeySource({ settings, env, clock }).problem();
    const field = settings.api_key_file === undefined ? 'api_key_env' : 'api_key_file';
    if (message !== undefined) warnings.push({ field: `${path}.${field}`, message });
  }
  return warnings;
}
