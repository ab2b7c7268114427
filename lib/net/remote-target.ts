import type { Config } from '../config/settings/settings.ts';

/** `inputs.remote`: where images may be fetched from, and how far a fetch may go. */
export type RemotePolicy = Omit<Config['inputs']['remote'], 'enabled'>;

/** Why an address is not even looked up. */
export type TargetFault =
  | 'control_character'
  | 'not_an_https_url'
  | 'user_info_in_url'
  | 'host_not_allowed'
  | 'port_not_allowed';

export type RemoteTarget =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly fault: TargetFault };

// The WHATWG parser removes tabs and line ends wherever they stand: what is asked would not be what was written.
const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * What the WHATWG parser makes of an address, or of a redirect away from `base`, if it may be asked at all. Names are
 * compared exactly, as the parser writes them: in lower case, and a number in any notation as the address that it is.
 */
export function toRemoteTarget(text: string, policy: RemotePolicy, base?: string): RemoteTarget {
  if (CONTROL_CHARACTER.test(text)) return refused('control_character');
  if (!URL.canParse(text, base)) return refused('not_an_https_url');
  const url = new URL(text, base);
  if (url.protocol !== 'https:') return refused('not_an_https_url');
  if (url.username !== '' || url.password !== '') return refused('user_info_in_url');
  const hosts = policy.allowed_hosts.map((host) => host.toLowerCase());
  if (!hosts.includes(url.hostname)) return refused('host_not_allowed');
  // The parser leaves out the port that belongs to the scheme.
  const port = url.port === '' ? 443 : Number(url.port);
  return policy.allowed_ports.includes(port) ? { ok: true, url } : refused('port_not_allowed');
}

function refused(fault: TargetFault): RemoteTarget {
  return { ok: false, fault };
}
