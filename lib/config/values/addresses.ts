import { BlockList, isIP, isIPv4 } from 'node:net';

/** The host and the port of an authority (RFC 3986, section 3.2). */
export interface Authority {
  /** The host. An IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number | undefined;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Parses `host`, `host:port`, `[IPv6]` or `[IPv6]:port`, with a port from 0 to 65535. Returns undefined for any other text.
 */
export function parseAuthority(text: string): Authority | undefined {
  const parts = /^(?:\[([^[\]]+)\]|([^[\]:]+))(?::(\d{1,5}))?$/.exec(text);
  if (!parts) return undefined;
  const [, ipv6, name, digits] = parts;
  const host = ipv6 ?? name ?? '';
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && port > 65_535) return undefined;
  return (ipv6 === undefined ? isHostName(host) : isIP(host) === 6) ? { host, port } : undefined;
}

/** Returns true if only this machine can reach the host: `localhost`, 127.0.0.0/8, ::1 and their IPv4-mapped forms. */
export function isLoopbackHost(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const [address = ''] = host.split('%');
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

function isHostName(host: string): boolean {
  // Some resolvers treat other sequences of digits and dots as an IPv4 address: `127.1` becomes 127.0.0.1.
  if (/^[\d.]+$/.test(host)) return isIPv4(host);
  return host.length <= 253 && /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(host);
}
