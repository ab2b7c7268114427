import { describe, expect, test } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import type { EarlierWork } from '../../../../lib/generation/earlier-work-port.ts';
import { createLedger } from '../../../../lib/generation/ledger/ledger.ts';
import { recordAccount } from '../../../support/ledgers.ts';

const TASK = { model: 'a-model', ticket: 'a ticket' };
const sandbox = { provider: 'sandbox' };

function opened(change: Partial<ReturnType<typeof recordAccount>['account']> = {}) {
  const recorded = recordAccount();
  const ledger = createLedger({ ...recorded.account, ...change }, 2);
  ledger.beginRoute('sandbox');
  return { ...recorded, ledger, call: ledger.beginCall('sandbox', [0, 1]) };
}

const unavailable = () =>
  Promise.reject(new BridgeError('overloaded', 'the state database is unavailable'));

describe('createLedger, tickets', () => {
  test('a stored ticket lets another process continue, until the call is sent again', async () => {
    const { ledger, call, accepted, withdrawn } = opened();

    const isStored = await call.accepted(TASK);
    const before = ledger.canContinue();
    await call.withdrawTicket();

    expect([isStored, before, ledger.canContinue()]).toEqual([true, true, false]);
    expect(accepted).toEqual([{ call: 0, ...TASK }]);
    expect(withdrawn).toEqual([0]);
  });

  test.each([
    ['is too long', { ...TASK, ticket: 'é'.repeat(1025) }, {}],
    ['cannot be stored', TASK, { accept: unavailable }],
    ['belongs to a request without a job', TASK, { accept: async () => false }],
  ])('a ticket that %s does not fail its call', async (_, task, change) => {
    const { ledger, call } = opened(change);

    expect(await call.accepted(task)).toBe(false);
    expect(ledger.canContinue()).toBe(false);
  });

  test('a ticket that a failed write may have stored is deleted before its call is sent again', async () => {
    const { call, withdrawn } = opened({ accept: unavailable });
    await call.accepted(TASK);

    await call.withdrawTicket();

    expect(withdrawn).toEqual([0]);
  });

  test('a call without a ticket has nothing to delete', async () => {
    const { call, withdrawn } = opened();

    await call.withdrawTicket();

    expect(withdrawn).toEqual([]);
  });

  test('earlier work counts its published images as made and its other outputs as unknown, and new calls get new numbers', async () => {
    const published = { facts: { index: 0, generation_ms: 1 } };
    const earlier = {
      renewals: 3,
      ...sandbox,
      model: 'a-model',
      calls: [{ call: 4, indices: [0, 1], ...sandbox }],
      images: [published],
    } as unknown as EarlierWork;
    const { account, opened: calls } = recordAccount();
    const ledger = createLedger(account, 3, earlier);
    ledger.beginRoute('sandbox', 'a-model');

    await ledger.beginCall('sandbox', [2]).open();

    const maker = { ...sandbox, model: 'a-model' };
    expect(calls).toEqual([{ call: 5, indices: [2], ...maker }]);
    expect(ledger.settlement()).toMatchObject({
      renewals: 3,
      counts: [{ ...maker, images: 1, lost: 0, unknown: 1, failed: 1, unpriced: 2 }],
    });
  });
});
