import { describe, expect, it } from 'vitest';
import { isAllowedAddress } from '../../../lib/net/allowed-address.ts';

const PUBLIC = [
  '1.1.1.1',
  '93.184.215.14',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:800::200e',
];

const PRIVATE = [
  ['loopback', '127.0.0.1'],
  ['the end of loopback', '127.255.255.254'],
  ['RFC 1918', '10.0.0.1'],
  ['RFC 1918', '172.16.0.1'],
  ['RFC 1918', '172.31.255.255'],
  ['RFC 1918', '192.168.1.1'],
  ['link-local, where clouds keep their secrets', '169.254.169.254'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['carrier-grade NAT, where a cloud keeps its secrets', '100.100.100.200'],
  ['loopback', '::1'],
  ['unique-local', 'fc00::1'],
  ['unique-local, where a cloud keeps its secrets', 'fd00:ec2::254'],
  ['link-local', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
];

const NEVER = [
  ['this host', '0.0.0.0'],
  ['this network', '0.1.2.3'],
  ['broadcast', '255.255.255.255'],
  ['multicast', '224.0.0.1'],
  ['multicast', '239.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['protocol assignments', '192.0.0.192'],
  ['documentation', '192.0.2.1'],
  ['documentation', '198.51.100.1'],
  ['documentation', '203.0.113.1'],
  ['the relay of 6to4', '192.88.99.1'],
  ['benchmarking', '198.18.0.1'],
  ['benchmarking', '198.19.255.255'],
  ['the platform of a cloud', '168.63.129.16'],
  ['unspecified', '::'],
  ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
  ['IPv4-mapped private', '::ffff:10.0.0.1'],
  ['IPv4-mapped public', '::ffff:1.1.1.1'],
  ['IPv4-mapped in hexadecimal', '::ffff:a00:1'],
  ['IPv4-compatible loopback', '::127.0.0.1'],
  ['IPv4-translated', '::ffff:0:10.0.0.1'],
  ['NAT64 of a private address', '64:ff9b::10.0.0.1'],
  ['NAT64 of a public address', '64:ff9b::1.1.1.1'],
  ['local-use NAT64', '64:ff9b:1::a00:1'],
  ['6to4 of loopback', '2002:7f00:1::'],
  ['Teredo', '2001:0:7f00:1::1'],
  ['benchmarking', '2001:2::1'],
  ['documentation', '2001:db8::1'],
  ['documentation', '3fff::1'],
  ['ORCHID', '2001:20::1'],
  ['discard', '100::1'],
  ['site-local', 'fec0::1'],
  ['multicast', 'ff02::1'],
  ['segment routing', '5f00::1'],
  ['what is not assigned yet', '4000::1'],
];

const NO_ADDRESS = [
  ['', 'nothing'],
  ['2130706433', 'a decimal number'],
  ['0177.0.0.1', 'octal parts'],
  ['0x7f.0.0.1', 'hexadecimal parts'],
  ['127.1', 'too few parts'],
  ['[::1]', 'brackets'],
  ['localhost', 'a name'],
  ['1.1.1.1 ', 'a blank'],
];

describe('isAllowedAddress', () => {
  it.each(PUBLIC)('allows %s', (address) => {
    expect(isAllowedAddress(address, false)).toBe(true);
    expect(isAllowedAddress(address, true)).toBe(true);
  });

  it.each(PRIVATE)('allows %s (%s) only if private networks are allowed', (_, address) => {
    expect(isAllowedAddress(address, false)).toBe(false);
    expect(isAllowedAddress(address, true)).toBe(true);
  });

  it.each(NEVER)('never allows %s (%s)', (_, address) => {
    expect(isAllowedAddress(address, false)).toBe(false);
    expect(isAllowedAddress(address, true)).toBe(false);
  });

  it.each(NO_ADDRESS)('never accepts "%s" (%s) as an address', (address) => {
    expect(isAllowedAddress(address, true)).toBe(false);
  });
});
