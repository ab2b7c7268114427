import { createSealedCursors } from '../../../lib/cursors/sealed-cursor.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { createPresets } from '../../../lib/presets/presets.ts';
import { createReplay } from '../../../lib/replay/replay.ts';
import { toReplayPolicies } from '../../../lib/replay/replay-policies.ts';
import { createMemoryReplayStore } from '../../../lib/storage/memory/replay-store.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { openTestStores } from '../../support/stores.ts';

/** Creates presets as the app does, with their own database. */
export async function openPresets() {
  const clock = createManualClock();
  const ids = createIds(clock.nowMs);
  const stores = await openTestStores({ clock, ids });
  const { secret } = stores;
  const limits = { max_entries: 100, max_completed_bytes: 1_000_000, completed_ttl_secs: 60 };
  const policies = toReplayPolicies(limits);
  const replays = createMemoryReplayStore({ clock, policies });
  const presets = createPresets({
    store: stores.presets,
    cursors: createSealedCursors(secret),
    replay: createReplay({ store: replays, policies, secret, clock, ids }),
    clock,
  });
  return { presets, clock, close: stores.close };
}
