import { isLoopbackHost } from '../config/values/addresses.ts';

/** Why nothing is sent to an address. Stable names that callers may pass on as a detail. */
export type UrlFault =
  | 'control_character'
  | 'not_a_url'
  | 'not_an_https_url'
  | 'user_info_in_url'
  | 'host_not_allowed';

type CheckedUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly fault: UrlFault };

// The WHATWG parser removes tabs and line ends wherever they stand: what is asked would not be what was written.
const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * What the WHATWG parser makes of an address, if something may be sent there. Hosts are compared exactly, as the parser
 * writes them, with their ports.
 */
export function toWebhookUrl(text: string, allowedHosts: readonly string[]): CheckedUrl {
  if (CONTROL_CHARACTER.test(text)) return { ok: false, fault: 'control_character' };
  if (!URL.canParse(text)) return { ok: false, fault: 'not_a_url' };
  const url = new URL(text);
  const isPlain = url.protocol === 'http:' && isLoopbackHost(hostOf(url));
  if (url.protocol !== 'https:' && !isPlain) return { ok: false, fault: 'not_an_https_url' };
  if (url.username !== '' || url.password !== '') return { ok: false, fault: 'user_info_in_url' };
  const isAllowed = allowedHosts.some((host) => host.toLowerCase() === url.host);
  return isAllowed ? { ok: true, url } : { ok: false, fault: 'host_not_allowed' };
}

/** The host of a URL; an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
