import { parseAuthority } from '../../lib/config/values/addresses.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { ListenAddress } from '../listener/listen.ts';
import type { Slot } from './coordination-file.ts';

/** The origins of the slots. Throws `configuration` that names the option of the one that is not valid. */
export function toOrigins(urls: Readonly<Record<Slot, string>>): Readonly<Record<Slot, string>> {
  return { blue: toOrigin('--blue', urls.blue), green: toOrigin('--green', urls.green) };
}

/** Throws `configuration` that names the option. */
export function toOrigin(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    `${url.pathname}${url.search}${url.hash}${url.username}${url.password}` === '/';
  if (isPlain) return url.origin;
  const message = 'must be an http or https address without a path, such as http://127.0.0.1:8788';
  throw new BridgeError('configuration', `${option}: ${message}`);
}

/** Throws `configuration` that names the option. */
export function toListenAddress(option: string, text: string): ListenAddress {
  const { host, port } = parseAuthority(text) ?? {};
  if (host !== undefined && port !== undefined) return { host, port };
  throw new BridgeError('configuration', `${option}: must be HOST:PORT, such as 127.0.0.1:8787`);
}
