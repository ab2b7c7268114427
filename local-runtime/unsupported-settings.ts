import type { Config } from '../lib/config/settings/settings.ts';
import { BridgeError } from '../lib/errors/bridge-error.ts';

/**
 * The settings in `config` that this version accepts and does not apply yet, one sentence each. Throws `configuration` for
 * those without which the bridge would not do what its operator expects.
 */
export function unsupportedSettings(config: Config): readonly string[] {
  refuseUnsupported(config);
  const { providers } = config;
  const unsupported: readonly (readonly [field: string, isSet: boolean])[] = [
    ['providers.agent_app_server.enabled', providers.agent_app_server.enabled],
  ];
  return unsupported
    .filter(([, isSet]) => isSet)
    .map(([field]) => `${field}: has no effect in this version`);
}

function refuseUnsupported({ default_provider: name, server }: Config): void {
  if (name === 'agent-app-server') {
    throw new BridgeError('configuration', `default_provider: this version has no ${name} yet`);
  }
  if (server.activation_lock !== undefined) {
    throw new BridgeError(
      'configuration',
      'server.activation_lock: this version cannot wait for a lock yet',
    );
  }
}
