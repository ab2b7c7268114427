import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { unnamedCaller } from '../../../lib/contract/request/caller.ts';
import { createAccess } from '../../../lib/http/access.ts';

describe('createAccess', () => {
  const token = 'a-token-of-some-length';
  const secured = createAccess({ bearer: token, hosts: [] });
  const open = createAccess({
    bearer: undefined,
    hosts: ['Bridge.local', 'box:9000', '10.0.0.7:8787'],
  });

  it('gives the scope of the token, which is its digest', () => {
    const caller = secured.authenticate(`Bearer ${token}`);

    expect(caller?.scope).toMatch(/^[0-9a-f]{64}$/);
    expect(secured.authenticate(`bearer  ${token}`)).toEqual(caller);
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
    expect(open.authenticate(undefined)?.scope).toBe('anonymous');
    expect(open.authenticate('Bearer anything')?.scope).toBe('anonymous');
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

  it('finds named callers beside the one of the bearer, and no caller without a token', () => {
    const sha256 = createHash('sha256').update('alices-token').digest('hex');
    const alice = { ...unnamedCaller('s'), id: 'a', name: 'alice' };
    const find = (given: string) => (given === sha256 ? alice : undefined);
    const callers = { find, watch: () => () => {} };
    const both = createAccess({ bearer: token, named: callers, hosts: [] });
    const named = createAccess({ bearer: undefined, named: callers, hosts: [] });

    expect(both.authenticate('Bearer alices-token')).toBe(alice);
    expect(both.authenticate(`Bearer ${token}`)).toEqual(secured.authenticate(`Bearer ${token}`));
    expect(named.authenticate('Bearer alices-token')).toBe(alice);
    expect(named.authenticate(undefined)).toBeUndefined();
    expect(named.isOurHost('evil.example')).toBe(true);
  });

  it('watches named tokens alone: that of the settings holds as long as the process', () => {
    const watched: string[] = [];
    const watch = (sha256: string) => {
      watched.push(sha256);
      return () => void watched.pop();
    };
    const access = createAccess({
      bearer: token,
      named: { find: () => undefined, watch },
      hosts: [],
    });

    const always = () => true;
    access.watch(`Bearer ${token}`, always, () => {});
    secured.watch(`Bearer ${token}`, always, () => {});
    const unwatch = access.watch('bearer alices-token', always, () => {});

    expect(watched).toEqual([createHash('sha256').update('alices-token').digest('hex')]);
    unwatch();
    expect(watched).toEqual([]);
  });

  it('does not check the host where a token protects against rebinding', () => {
    expect(secured.isOurHost('evil.example')).toBe(true);
  });
});
