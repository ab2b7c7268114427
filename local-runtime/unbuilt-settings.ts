import type { Config } from '../lib/config/settings.ts';
import { BridgeError } from '../lib/errors/bridge-error.ts';

/**
 * The settings in `config` that this version knows and does not yet act upon, one sentence each: nobody should rely on
 * a limit that is not there. The list shrinks with every version. Throws `configuration` where going on would be wrong.
 */
export function unbuiltSettings(config: Config): readonly string[] {
  refuseUnbuiltDefault(config);
  const { runtime, server, inputs, providers } = config;
  const gates = [runtime.global, runtime.provider_default, ...Object.values(runtime.providers)];
  const isGated = gates.some(
    (gate) => isNumber(gate?.max_concurrent) || isNumber(gate?.max_queued),
  );
  const unbuilt: readonly (readonly [field: string, isSet: boolean])[] = [
    ['runtime.global, runtime.provider_default, runtime.providers', isGated],
    ['inputs.remote.enabled', inputs.remote.enabled],
    ['server.metrics.enabled', server.metrics.enabled],
    ['server.compat.model_aliases', Object.keys(server.compat.model_aliases).length > 0],
    ['providers.agent_app_server.enabled', providers.agent_app_server.enabled],
  ];
  return unbuilt
    .filter(([, isSet]) => isSet)
    .map(([field]) => `${field}: has no effect in this version`);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
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
