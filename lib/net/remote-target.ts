import type { Config } from '../config/settings/settings.ts';

/** The settings `inputs.remote`: the allowed sources of images and the limits of a fetch. */
export type RemotePolicy = Omit<Config['inputs']['remote'], 'enabled'>;

/** The reason why a URL is rejected before name resolution. */
export type TargetFault =
  | 'control_character'
  | 'not_an_https_url'
  | 'user_info_in_url'
  | 'host_not_allowed'
  | 'port_not_allowed';

export type RemoteTarget =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly fault: TargetFault };

// Control characters are rejected because the WHATWG parser silently removes tabs and line breaks, which changes the URL.
const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * Parses a URL, or the target of a redirect from `base`, and checks it against the policy. Hosts are compared exactly after
 * normalization by the WHATWG parser: names in lowercase, and IP addresses in their standard notation.
 */
export function toRemoteTarget(text: string, policy: RemotePolicy, base?: string): RemoteTarget {
  if (CONTROL_CHARACTER.test(text)) return refused('control_character');
  if (!URL.canParse(text, base)) return refused('not_an_https_url');
  const url = new URL(text, base);
  if (url.protocol !== 'https:') return refused('not_an_https_url');
  if (url.username !== '' || url.password !== '') return refused('user_info_in_url');
  const hosts = policy.allowed_hosts.map((host) => host.toLowerCase());
  if (!hosts.includes(url.hostname)) return refused('host_not_allowed');
  // The parser omits the default port of the scheme.
  const port = url.port === '' ? 443 : Number(url.port);
  return policy.allowed_ports.includes(port) ? { ok: true, url } : refused('port_not_allowed');
}

function refused(fault: TargetFault): RemoteTarget {
  return { ok: false, fault };
}
