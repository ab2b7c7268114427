import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { unnamedCaller } from '../../../lib/contract/request/caller.ts';
import { createAccess } from '../../../lib/http/access.ts';
import { createOperation } from '../../../lib/http/operation.ts';
import type { Protection } from '../../../lib/http/operation-spec.ts';
import { ok } from '../../../lib/http/reply/reply.ts';
import { invoke } from '../../support/invoke.ts';

describe('createAccess', () => {
  const token = 'a-token-of-some-length';
  const secured = createAccess({ bearer: token, hosts: [] });
  const open = createAccess({
    bearer: undefined,
    hosts: ['Bridge.local', 'box:9000', '10.0.0.7:8787'],
  });

  it('uses the digest of the token as the scope', () => {
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
  ])('rejects the header %s', (header) => {
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
  ])('accepts the host %s', (host) => {
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
  ])('rejects the host %s', (host) => {
    expect(open.isOurHost(host)).toBe(false);
  });

  it('finds named callers and the bearer caller, and no caller without a token', () => {
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

  it('watches only named tokens, because the bearer token cannot be revoked', () => {
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

  it('does not check the host if a token is required', () => {
    expect(secured.isOurHost('evil.example')).toBe(true);
  });
});

const operationWith = (protection: Protection) =>
  createOperation({
    id: 'guarded',
    summary: 'Guarded',
    protection,
    request: {},
    reply: { status: 200, description: 'Let through.' },
    errors: [],
    handle: () => ok({}),
  });

const statusOf = async (
  headers: Record<string, string>,
  protection: Protection = 'read',
  path = '/v1/providers',
) => (await invoke(operationWith(protection), { path, headers }, {})).status;

describe('browserGuard', () => {
  it.each<[string, Record<string, string>, number]>([
    ['a program without browser headers', {}, 200],
    [
      'a page of our own',
      { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:8787' },
      200,
    ],
    ['an address typed by hand', { 'sec-fetch-site': 'none' }, 200],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a page of a sibling domain', { 'sec-fetch-site': 'same-site' }, 403],
    ['an unknown site', { 'sec-fetch-site': 'other' }, 403],
    ['a repeated sec-fetch-site', { 'sec-fetch-site': 'none, none' }, 403],
    ['an origin on another port', { origin: 'http://localhost:9999' }, 403],
    ['another origin', { origin: 'https://evil.example' }, 403],
    ['an opaque origin', { origin: 'null' }, 403],
    ['a repeated origin', { origin: 'http://localhost:8787, http://localhost:8787' }, 403],
    [
      'an origin that hides behind user info',
      { origin: 'http://localhost:8787@evil.example' },
      403,
    ],
    ['a rebound name', { host: 'evil.example' }, 403],
    [
      'a rebound name as its own origin',
      { host: 'evil.example', origin: 'http://evil.example' },
      403,
    ],
    ['no host', { host: '' }, 400],
  ])('replies to %s', async (_name, headers, status) => {
    expect(await statusOf(headers)).toBe(status);
  });

  it('does not guard public routes', async () => {
    expect(
      await statusOf({ host: 'probe.internal', origin: 'null' }, 'public', '/health/live'),
    ).toBe(200);
  });

  it.each([
    ['/v1/unknown', 403],
    ['/v1', 403],
    ['/metrics', 403],
    ['/unknown', 200],
    ['/v10', 200],
  ])('protects the unknown path %s like the routes with the same prefix', async (path, status) => {
    expect(await statusOf({ 'sec-fetch-site': 'cross-site' }, 'by_path', path)).toBe(status);
  });
});
