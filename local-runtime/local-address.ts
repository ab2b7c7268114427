import type { Config } from '../lib/config/settings/settings.ts';
import { parseAuthority } from '../lib/config/values/addresses.ts';

/** Where a bridge with this configuration is reached from its own machine, without a slash at the end. */
export function toLocalAddress({ server }: Pick<Config, 'server'>): string {
  const { host = '127.0.0.1', port = 0 } = parseAuthority(server.bind) ?? {};
  // A bridge that listens on every address is reached by loopback.
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}
