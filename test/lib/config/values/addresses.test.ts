import { describe, expect, it } from 'vitest';
import { isLoopbackHost, parseAuthority } from '../../../../lib/config/values/addresses.ts';

describe('parseAuthority', () => {
  it.each([
    ['127.0.0.1:8787', { host: '127.0.0.1', port: 8787 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    ['[::1]', { host: '::1', port: undefined }],
    ['bridge.example', { host: 'bridge.example', port: undefined }],
    ['bridge_1.example:65535', { host: 'bridge_1.example', port: 65_535 }],
  ])('reads %s', (text, expected) => {
    const authority = parseAuthority(text);

    expect(authority).toEqual(expected);
  });

  it.each([
    '',
    ':8787',
    '::1:8787',
    '[::1',
    '[bridge]:80',
    '127.1:80',
    '999.0.0.1:80',
    'a b:80',
    'a:65536',
    'a:',
    'a:-1',
    'a:80:90',
    'user@host:80',
    'http://host:80',
    '*:80',
    '-a:80',
    'host:80\n',
  ])('rejects %j', (text) => {
    const authority = parseAuthority(text);

    expect(authority).toBeUndefined();
  });
});

describe('isLoopbackHost', () => {
  it.each([
    'localhost',
    'LocalHost',
    '127.0.0.1',
    '127.255.0.9',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::1%lo',
  ])('returns true for %s', (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  it.each([
    '',
    '0.0.0.0',
    '::',
    '128.0.0.1',
    '10.0.0.1',
    'localhost.example',
    '127.0.0.1.example',
    '::ffff:10.0.0.1',
    'fe80::1%eth0',
  ])('returns false for %j', (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });
});
