import { createSealedCursors } from '../../../lib/cursors/sealed-cursor.ts';
import { createIdempotency } from '../../../lib/idempotency/idempotency.ts';
import { createMemoryReplayStore } from '../../../lib/idempotency/memory-replay-store.ts';
import { toFingerprint } from '../../../lib/platform/fingerprint.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { createPresets } from '../../../lib/presets/presets.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { openTestStores } from '../../support/stores.ts';

/** Creates presets as the app does, with their own database. */
export async function openPresets() {
  const clock = createManualClock();
  const ids = createIds(clock.nowMs);
  const stores = await openTestStores({ clock, ids });
  const limits = { max_entries: 100, max_completed_bytes: 1_000_000, completed_ttl_secs: 60 };
  const idempotency = createIdempotency({ store: createMemoryReplayStore({ clock, limits }), ids });
  const presets = createPresets({
    store: stores.presets,
    cursors: createSealedCursors(Buffer.alloc(32, 1)),
    clock,
    once: ({ scope, key, request }, work, signal) => {
      const fingerprint = toFingerprint('createPreset', request);
      return idempotency.once({ scope, key, fingerprint }, work, signal);
    },
  });
  return { presets, clock, close: stores.close };
}
