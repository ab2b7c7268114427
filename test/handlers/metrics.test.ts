import { describe, expect, it } from 'vitest';
import { handler as getMetrics } from '../../handlers/metrics/get-metrics.ts';
import { createAccess } from '../../lib/http/access.ts';
import { invoke, openHttpSettings } from '../support/invoke.ts';

const services = { metrics: { exposition: async () => 'up 1\n' } };
const path = '/metrics';

describe('getMetrics', () => {
  it('replies with the text format of Prometheus', async () => {
    const reply = await invoke(getMetrics, { path }, services);

    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(reply.bytes.toString()).toBe('up 1\n');
  });

  it.each(['name[]=a&name[]=b', 'x', 'a=1&a=2', '%ff=%'])('ignores the query %s', async (query) => {
    const reply = await invoke(getMetrics, { path, query }, services);

    expect(reply.status).toBe(200);
  });

  it.each([
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a foreign origin', { origin: 'http://evil.example' }, 403],
    ['a foreign host', { host: 'evil.example' }, 403],
  ])('rejects %s', async (_, headers, status) => {
    const reply = await invoke(getMetrics, { path, headers }, services);

    expect(reply.status).toBe(status);
  });

  it('requires the configured token', async () => {
    const access = createAccess({ bearer: 'sixteen-bytes-ok', hosts: [] });
    const edge = openHttpSettings({ access });
    const authorization = 'Bearer sixteen-bytes-ok';

    const without = await invoke(getMetrics, { path }, services, edge);
    const withToken = await invoke(
      getMetrics,
      { path, headers: { authorization } },
      services,
      edge,
    );

    expect([without.status, withToken.status]).toEqual([401, 200]);
  });
});
