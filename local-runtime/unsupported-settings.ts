import type { Config } from '../lib/config/settings/settings.ts';
import { BridgeError } from '../lib/errors/bridge-error.ts';

/**
 * The settings in `config` that this version knows and does not yet act upon, one sentence each: nobody should rely on
 * a limit that is not there. The list shrinks with every version. Throws `configuration` where going on would be wrong.
 */
export function unsupportedSettings(config: Config): readonly string[] {
  refuseUnbuiltDefault(config);
  const { providers } = config;
  const unbuilt: readonly (readonly [field: string, isSet: boolean])[] = [
    ['providers.agent_app_server.enabled', providers.agent_app_server.enabled],
  ];
  return unbuilt
    .filter(([, isSet]) => isSet)
    .map(([field]) => `${field}: has no effect in this version`);
}

function refuseUnbuiltDefault({ default_provider: name, server }: Config): void {
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
