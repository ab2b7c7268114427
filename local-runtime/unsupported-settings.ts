import type { Config } from '../lib/config/settings/settings.ts';
import { BridgeError } from '../lib/errors/bridge-error.ts';

/** Throws `configuration` for a setting that this version accepts and without which it would not do what was asked for. */
export function refuseUnsupportedSettings({ server }: Config): void {
  if (server.activation_lock === undefined) return;
  throw new BridgeError(
    'configuration',
    'server.activation_lock: this version cannot wait for a lock yet',
  );
}
