import type { RequestContext } from '../contract/request/request-context.ts';
import type { Preset, PresetCreate, PresetReplace } from '../contract/resources/preset.ts';
import type { Page } from '../contract/schema/page.ts';
import type { SealedCursors } from '../cursors/sealed-cursor.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import { toFingerprint } from '../platform/fingerprint.ts';
import type { Replay } from '../replay/replay.ts';
import type { PresetRecord, PresetStore } from './preset-store-port.ts';

interface Deps {
  readonly store: PresetStore;
  readonly clock: Clock;
  readonly cursors: SealedCursors;
  readonly replay: Pick<Replay, 'once'>;
}

type PresetContext = Pick<RequestContext, 'scope' | 'idempotencyKey' | 'signal' | 'onReplied'>;

export type Presets = ReturnType<typeof createPresets>;

// The identity of the list in its cursors. There is only one list of presets.
const LIST = ['presets'];

/** Manages named templates that all callers share. The clients, not the bridge, merge a template into a request. */
export function createPresets({ store, clock, cursors, replay }: Deps) {
  async function create(request: PresetCreate): Promise<Preset> {
    const now = nowSecs(clock);
    const record = { ...request, createdSecs: now, updatedSecs: now };
    await store.create(record);
    return toPreset(record);
  }

  return {
    /** Creates a preset. Resolves a repeated request with the current preset. Throws `preset_exists`, `idempotency_conflict`. */
    async create(
      request: PresetCreate,
      context: PresetContext,
    ): Promise<{ readonly preset: Preset; readonly replayed: boolean }> {
      const { scope, idempotencyKey: key } = context;
      if (key === undefined) return { preset: await create(request), replayed: false };
      const keyed = { scope, key, fingerprint: toFingerprint('createPreset', request) };
      const made = await replay.once(keyed, () => create(request), context);
      if (!made.replayed) return { preset: made.value, replayed: false };
      const now = await store.find(request.name);
      return { preset: now ? toPreset(now) : made.value, replayed: true };
    },

    /** Resolves with a preset. Throws `not_found`. */
    find: async (name: string): Promise<Preset> => toPreset(await store.find(name)),

    /** Replaces the whole preset. Throws `not_found`. */
    async replace(name: string, sent: PresetReplace): Promise<Preset> {
      return toPreset(await store.replace({ name, ...sent, updatedSecs: nowSecs(clock) }));
    },

    /** Removes a preset. Throws `not_found`. */
    async remove(name: string): Promise<void> {
      if (!(await store.remove(name))) throw presetNotFound();
    },

    /** Resolves with one page of presets, sorted by name. Throws `invalid_request` for a cursor of another list. */
    async list(limit: number, cursor: string | undefined): Promise<Page<Preset>> {
      const after = cursor === undefined ? {} : { after: cursors.read(LIST, cursor).toString() };
      const { items, more } = await store.list({ ...after, limit });
      const last = items.at(-1);
      return {
        items: items.map(toPreset),
        ...(more && last ? { next_cursor: cursors.write(LIST, Buffer.from(last.name)) } : {}),
      };
    },
  };
}

/** Throws `not_found` if the record is undefined. */
function toPreset(record: PresetRecord | undefined): Preset {
  if (!record) throw presetNotFound();
  const { createdSecs: created, updatedSecs: updated, ...sent } = record;
  return { ...sent, created, updated };
}

function presetNotFound(): BridgeError {
  return new BridgeError('not_found', 'preset not found');
}
