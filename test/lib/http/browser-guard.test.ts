import { describe, expect, it } from 'vitest';
import { createOperation } from '../../../lib/http/operation.ts';
import type { Protection } from '../../../lib/http/operation-spec.ts';
import { ok } from '../../../lib/http/reply/reply.ts';
import { invoke } from '../../support/invoke.ts';

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
  ])('guards the unknown path %s as the routes around it', async (path, status) => {
    expect(await statusOf({ 'sec-fetch-site': 'cross-site' }, 'by_path', path)).toBe(status);
  });
});
