import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Networks of the operator's own, which a setting can open. */
const PRIVATE: readonly string[] = [
  'private',
  'loopback',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
];

// RFC 4291, 2.4: all public addresses are in it. Outside of it are `::a.b.c.d` and unassigned ranges.
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

// Azure's platform service, which returns secrets to virtual machines; no registry lists the address as special.
const PLATFORM_ADDRESS = '168.63.129.16';

/**
 * Whether images may be fetched from an address. Only what is public passes: no address of this machine, of a private
 * network or of a cloud's platform, none that maps to another one (IPv4-mapped, 6to4, Teredo, NAT64), no multicast,
 * broadcast, reserved or documentation range. `allowsPrivate` opens private, shared, loopback and link-local networks.
 */
export function isAllowedAddress(address: string, allowsPrivate: boolean): boolean {
  // The library also reads what the operating system would not, or would read as another address.
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (allowsPrivate && PRIVATE.includes(range)) return true;
  if (range !== 'unicast') return false;
  return parsed.kind() === 'ipv6' ? parsed.match(GLOBAL_UNICAST) : address !== PLATFORM_ADDRESS;
}
