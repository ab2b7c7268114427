import { describe, expect, it } from 'vitest';
import { toReplayPolicies } from '../../../../lib/replay/replay-policies.ts';
import type { ReplayPolicies } from '../../../../lib/replay/replay-store-port.ts';
import { createMemoryReplayStore } from '../../../../lib/storage/memory/replay-store.ts';
import { describeReplayStore } from '../../../contracts/replay-store.ts';
import { createManualClock } from '../../../support/manual-clock.ts';

function open(policies: ReplayPolicies) {
  const clock = createManualClock();
  const store = createMemoryReplayStore({ clock, policies });
  return { store, other: store, clock, advance: clock.advance, close: async () => {} };
}

describeReplayStore('memory', async (policies) => open(policies));

describe('createMemoryReplayStore', () => {
  it('frees the memory of expired outcomes without a request', async () => {
    const limits = { max_entries: 4, max_completed_bytes: 100_000, completed_ttl_secs: 60 };
    const { store, clock } = open(toReplayPolicies(limits));
    for (const kind of ['key', 'retry'] as const) {
      const claim = { id: kind, identity: kind, scope: 's', fingerprint: 'f', mayJoin: true };
      await store.claim({ ...claim, kind });
      await store.finish(kind, { ok: true, value: 'an image' }, 5000);
      if (kind === 'retry') await store.release(kind, true);
    }
    const before = store.size();

    await clock.advance(60_000);

    expect(before).toMatchObject({ running: 0, entries: 2 });
    expect(before.evictableBytes).toBeGreaterThan(10_000);
    expect(store.size()).toEqual({ running: 0, entries: 0, evictableBytes: 0 });
    expect(clock.waiting).toBe(0);
  });
});
