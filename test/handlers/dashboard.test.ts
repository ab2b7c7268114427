import { describe, expect, it } from 'vitest';
import { handler as getDashboard } from '../../handlers/dashboard/get-dashboard.ts';
import { handler as getDashboardAsset } from '../../handlers/dashboard/get-dashboard-asset.ts';
import { handler as getDashboardView } from '../../handlers/dashboard/get-dashboard-view.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { PageFile } from '../../lib/http/reply/page-reply.ts';
import { invoke } from '../support/invoke.ts';

const page: PageFile = {
  bytes: Buffer.from('page'),
  encoded: { br: Buffer.from('p') },
  contentType: 'text/html; charset=utf-8',
  tag: 'abc',
  isImmutable: false,
};

const services = {
  dashboard: {
    page: async () => page,
    view: async () => page,
    async asset(name: string) {
      if (name !== 'a-1.js') throw new BridgeError('not_found', 'no such file');
      return { ...page, contentType: 'text/javascript; charset=utf-8' };
    },
  },
};

describe('getDashboard and getDashboardView', () => {
  it.each([
    ['/dashboard', getDashboard, {}],
    ['/dashboard/jobs/1', getDashboardView, { view: 'jobs/1' }],
  ])(
    'reply to %s with the page, to any host and without a token',
    async (path, handler, parameters) => {
      const sent = { path, headers: { host: 'elsewhere', 'accept-encoding': 'br' } };

      const reply = await invoke(handler, { ...sent, pathParameters: parameters }, services);

      expect([reply.status, reply.bytes.toString()]).toEqual([200, 'p']);
      expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
    },
  );
});

describe('getDashboardAsset', () => {
  it.each([
    ['a-1.js', 200],
    ['b.js', 404],
    ['../page', 404],
  ])('replies to %s with %i', async (name, status) => {
    const reply = await invoke(getDashboardAsset, { pathParameters: { name } }, services);

    expect(reply.status).toBe(status);
  });
});
