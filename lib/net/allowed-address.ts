import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The ranges of private networks, which a setting can allow. */
const PRIVATE: readonly string[] = [
  'private',
  'loopback',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
];

// All public IPv6 addresses are in this range (RFC 4291, section 2.4). `::a.b.c.d` and unassigned ranges are outside.
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

// Azure's platform service, which returns secrets to virtual machines. No registry lists this address as special.
const PLATFORM_ADDRESS = '168.63.129.16';

/**
 * Returns true if the bridge may connect to an address. Only public addresses are allowed: no address of this machine, of a
 * private network or of a cloud platform, no address that embeds another address (IPv4-mapped, 6to4, Teredo, NAT64), and no
 * multicast, broadcast, reserved or documentation range. `allowsPrivate` also allows private, shared, loopback and
 * link-local networks.
 */
export function isAllowedAddress(address: string, allowsPrivate: boolean): boolean {
  // The library also parses texts that the operating system rejects or interprets as a different address.
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (allowsPrivate && PRIVATE.includes(range)) return true;
  if (range !== 'unicast') return false;
  return parsed.kind() === 'ipv6' ? parsed.match(GLOBAL_UNICAST) : address !== PLATFORM_ADDRESS;
}
