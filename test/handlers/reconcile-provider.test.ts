import { describe, expect, it } from 'vitest';
import { handler } from '../../handlers/providers/reconcile-provider.ts';
import { invoke } from '../support/invoke.ts';

const REPORT = {
  provider: 'fal',
  reports_charges: true,
  equal: 1,
  settled: 0,
  pending: 0,
  correction: '0',
  days: [],
};

function send(body: object) {
  const runs: unknown[] = [];
  const reconciliations = {
    async run(...all: readonly unknown[]) {
      runs.push(all.slice(0, 2));
      return REPORT;
    },
  };
  const sent = { method: 'POST', pathParameters: { name: 'fal' }, body } as const;
  return invoke(handler, sent, { reconciliations }).then((reply) => ({ ...reply, runs }));
}

describe('reconcileProvider', () => {
  it('compares a week by default', async () => {
    const { status, json, runs } = await send({});

    expect([status, json]).toEqual([200, REPORT]);
    expect(runs).toEqual([['fal', { days: 7, dry_run: false }]]);
  });

  it.each([
    [{ days: 0 }, 'days'],
    [{ days: 91 }, 'days'],
    [{ days: 1.5 }, 'days'],
    [{ dry_run: 'yes' }, 'dry_run'],
    [{ cursor: 5 }, 'cursor'],
    [{ day: 5 }, 'day'],
  ])('rejects %j and names the field', async (body, param) => {
    const { status, json } = await send(body);

    expect(status).toBe(422);
    expect(json).toMatchObject({ error: { param } });
  });
});
