import { describe, expect, it } from 'vitest';
import { handler as getDiagnostics } from '../../handlers/diagnostics/get-diagnostics.ts';
import { STORED_EXAMPLES } from '../../infra/generators/openapi/examples/stored-examples.ts';
import type { Diagnostics } from '../../lib/contract/resources/diagnostics.ts';
import { createAccess } from '../../lib/http/access.ts';
import { invoke, openHttpSettings } from '../support/invoke.ts';

const path = '/v1/diagnostics';
const report = STORED_EXAMPLES['Diagnostics']?.['idle']?.value as Diagnostics;
const services = { diagnostics: { report: async () => report } };

describe('getDiagnostics', () => {
  it('replies with the report and forbids caching', async () => {
    const reply = await invoke(getDiagnostics, { path }, services);

    expect(reply.status).toBe(200);
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.json).toEqual(report);
  });

  it('rejects a query', async () => {
    const reply = await invoke(getDiagnostics, { path, query: 'verbose=1' }, services);

    expect(reply.status).toBe(422);
  });

  it('requires the configured token', async () => {
    const edge = openHttpSettings({
      access: createAccess({ bearer: 'sixteen-bytes-ok', hosts: [] }),
    });

    const reply = await invoke(getDiagnostics, { path }, services, edge);

    expect(reply.status).toBe(401);
  });
});
