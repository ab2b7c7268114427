import { describe, expect, it } from 'vitest';
import { createAccess } from '../../../lib/http/access.ts';

describe('createAccess', () => {
  const token = 'a-token-of-some-length';
  const secured = createAccess({ bearer: token, hosts: [] });
  const open = createAccess({
    bearer: undefined,
    hosts: ['Bridge.local', 'box:9000', '10.0.0.7:8787'],
  });

  it('gives the scope of the token, which is its digest', () => {
    const scope = secured.authenticate(`Bearer ${token}`);

    expect(scope).toMatch(/^[0-9a-f]{64}$/);
    expect(secured.authenticate(`bearer  ${token}`)).toBe(scope);
  });

  it.each([
    undefined,
    '',
    token,
    `Basic ${token}`,
    'Bearer wrong-token',
    `Bearer ${token}, Bearer ${token}`,
    `Bearer ${token} x`,
    'Bearer',
  ])('refuses the header %s', (header) => {
    expect(secured.authenticate(header)).toBeUndefined();
  });

  it('accepts every client as anonymous without a token', () => {
    expect(open.authenticate(undefined)).toBe('anonymous');
    expect(open.authenticate('Bearer anything')).toBe('anonymous');
  });

  it.each([
    'localhost',
    'LOCALHOST:1',
    '127.0.0.1',
    '127.9.9.9:80',
    '[::1]:8787',
    'bridge.local',
    'BRIDGE.local:1234',
    'box:9000',
    '10.0.0.7:8787',
  ])('knows the host %s', (host) => {
    expect(open.isOurHost(host)).toBe(true);
  });

  it.each([
    'box',
    'box:9001',
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '[::2]',
    '10.0.0.7',
  ])('does not know the host %s', (host) => {
    expect(open.isOurHost(host)).toBe(false);
  });

  it('does not check the host where a token protects against rebinding', () => {
    expect(secured.isOurHost('evil.example')).toBe(true);
  });
});
