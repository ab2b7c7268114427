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

/** Manages named templates that all callers share. Clients apply the templates. */
export function createPresets({ store, clock, cursors, replay }: Deps) {
  async function create(request: PresetCreate): Promise<Preset> {
    const now = nowSecs(clock);
    const { name, description, template } = request;
    const described = description === undefined ? {} : { description };
    const record = { name, ...described, template, createdSecs: now, updatedSecs: now };
    await store.create(record);
    return toPreset(record);
  }

  async function find(name: string): Promise<Preset> {
    const record = await store.find(name);
    if (!record) throw noSuchPreset();
    return toPreset(record);
  }

  return {
    /**
     * Creates a preset. A repeated request returns the current state of the preset. Throws `preset_exists`,
     * `idempotency_conflict`.
     */
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

    /** Returns a preset. Throws `not_found`. */
    find,

    /** Replaces the whole preset. Throws `not_found`. */
    async replace(name: string, { description, template }: PresetReplace): Promise<Preset> {
      const described = description === undefined ? {} : { description };
      const updatedSecs = nowSecs(clock);
      const record = await store.replace({ name, ...described, template, updatedSecs });
      if (!record) throw noSuchPreset();
      return toPreset(record);
    },

    /** Removes a preset. Throws `not_found`. */
    async remove(name: string): Promise<void> {
      if (!(await store.remove(name))) throw noSuchPreset();
    },

    /** Returns one page of presets, sorted by name. Throws `invalid_request` for a cursor of another list. */
    async list(limit: number, cursor: string | undefined): Promise<Page<Preset>> {
      const after = cursor === undefined ? {} : { after: toName(cursor) };
      const { items, more } = await store.list({ ...after, limit });
      const last = items.at(-1);
      return {
        items: items.map(toPreset),
        ...(more && last ? { next_cursor: toCursor(last.name) } : {}),
      };
    },
  };

  function toCursor(name: string): string {
    return cursors.write(LIST, Buffer.from(name, 'utf8'));
  }

  function toName(cursor: string): string {
    return cursors.read(LIST, cursor).toString('utf8');
  }
}

function toPreset({ name, description, template, createdSecs, updatedSecs }: PresetRecord): Preset {
  const described = description === undefined ? {} : { description };
  return { name, ...described, template, created: createdSecs, updated: updatedSecs };
}

function noSuchPreset(): BridgeError {
  return new BridgeError('not_found', 'there is no preset of this name');
}
