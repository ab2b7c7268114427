import { describe, expect, it } from 'vitest';
import { routes } from '../../handlers/routes.ts';
import { PERMISSIONS, type Permission } from '../../lib/contract/request/caller.ts';
import { createAccess } from '../../lib/http/access.ts';
import type { Services } from '../../lib/services.ts';
import { invoke, openHttpSettings } from '../support/invoke.ts';

/** The permission that each route needs. Every route has a row, also a route that anyone may call. */
const NEEDED: Readonly<Record<string, Permission | 'public'>> = {
  'GET /health/live': 'public',
  'GET /health/ready': 'public',
  'POST /v1/images': 'images',
  'POST /v1/images/stream': 'images',
  'POST /v1/plan': 'read',
  'POST /v1/plan/batch': 'read',
  'POST /v1/images/generations': 'images',
  'POST /v1/images/edits': 'images',
  'GET /v1/models': 'read',
  'GET /v1/models/{id}': 'read',
  'POST /v1/jobs': 'jobs',
  'GET /v1/jobs': 'read',
  'GET /v1/jobs/days': 'read',
  'GET /v1/jobs/labels': 'read',
  'GET /v1/jobs/events': 'read',
  'GET /v1/jobs/{id}': 'read',
  'DELETE /v1/jobs/{id}': 'jobs',
  'PATCH /v1/jobs/{id}': 'jobs',
  'GET /v1/jobs/{id}/family': 'read',
  'GET /v1/jobs/{id}/derived': 'read',
  'GET /v1/jobs/{id}/partial': 'read',
  'GET /v1/jobs/{id}/inputs/{index}': 'read',
  'GET /v1/jobs/{id}/inputs/{index}/thumbnail': 'read',
  'GET /v1/jobs/{id}/events': 'read',
  'POST /v1/jobs/{id}/retry': 'jobs',
  'GET /v1/prompts': 'read',
  'GET /v1/queue': 'read',
  'PATCH /v1/queue': 'admin',
  'POST /v1/jobs/batch': 'jobs',
  'POST /v1/jobs/batch/{id}/undo': 'jobs',
  'GET /v1/queue/own': 'read',
  'GET /v1/queue/jobs': 'admin',
  'DELETE /v1/queue/jobs/{id}': 'admin',
  'GET /v1/providers': 'read',
  'GET /v1/providers/{name}/capabilities': 'read',
  'POST /v1/providers/{name}/reconciliation': 'admin',
  'GET /v1/presets': 'read',
  'POST /v1/presets': 'presets',
  'GET /v1/presets/{name}': 'read',
  'PUT /v1/presets/{name}': 'presets',
  'DELETE /v1/presets/{name}': 'presets',
  'GET /v1/sessions/{key}': 'read',
  'DELETE /v1/sessions/{key}': 'images',
  'GET /v1/usage': 'read',
  'GET /v1/artifacts/{id}': 'read',
  'PATCH /v1/artifacts/{id}': 'jobs',
  'POST /v1/artifacts/{id}/crop': 'jobs',
  'GET /v1/artifacts/{id}/thumbnail': 'read',
  'GET /v1/artifacts/{id}/credentials': 'read',
  'GET /v1/artifacts/{id}/manifest': 'read',
  'POST /mcp': 'read',
  'GET /mcp': 'read',
  'DELETE /mcp': 'read',
  'GET /v1/diagnostics': 'diagnostics',
  'GET /metrics': 'metrics',
  'GET /v1/openapi.json': 'read',
  'GET /dashboard': 'public',
  'GET /dashboard/assets/{name}': 'public',
  'GET /dashboard/{view}': 'public',
};

const table = routes.map((route) => ({ ...route, key: `${route.method} ${route.path}` }));
/** Each permission alone, and a token that has none. */
const grants = [...PERMISSIONS, 'nothing'] as const;
const matrix = table.flatMap((row) => grants.map((granted) => ({ ...row, granted })));

/** Calls a route with a token that has this permission alone. Behind the guard nothing is there. */
async function callWith({ method, path, handler, granted }: (typeof matrix)[number]) {
  const permissions = granted === 'nothing' ? [] : [granted];
  const caller = { id: 'a', name: 'alice', scope: 's', permissions };
  const named = { find: () => caller, watch: () => () => {} };
  const access = createAccess({ bearer: undefined, named, hosts: [] });
  const sent = { method, path, headers: { authorization: 'Bearer any' } };
  // No handler runs to the end: an allowed call fails for want of services.
  const { json } = await invoke(handler, sent, {} as Services, openHttpSettings({ access }));
  return json;
}

const DENIED = { error: { code: 'permission_denied', bridge_ext: { details: {} } } };

describe('the permissions', () => {
  it('are known for every route', () => {
    const declared = table.map(({ key, handler }) => [key, handler.spec.protection]);

    expect(Object.fromEntries(declared)).toEqual(NEEDED);
  });

  it.each(matrix)('let a token with only $granted call $key where it suffices', async (row) => {
    const reply = await callWith(row);

    const needed = NEEDED[row.key];
    if (needed === row.granted || needed === 'public') expect(reply).not.toMatchObject(DENIED);
    else {
      expect(reply).toMatchObject(DENIED);
      expect(reply).toMatchObject({ error: { bridge_ext: { details: { permission: needed } } } });
    }
  });
});
