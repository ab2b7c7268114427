import { signal } from '@preact/signals';
import { describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../../dashboard/src/connection/connection.ts';
import { type Attachment, createDraft } from '../../../dashboard/src/make/draft.ts';
import { keepDraft } from '../../../dashboard/src/make/draft-storage.ts';

const DAY_MS = 86_400_000;

const image = (key: string): Attachment => ({
  key,
  name: `${key}.png`,
  role: 'source',
  format: 'png',
  width: 4,
  height: 3,
  bytes: 100,
  content: new Blob([key]),
});

const accepted = (token?: string): Caller => ({ token, isAccepted: true });
const assumed = (token?: string): Caller => ({ token, isAccepted: false });

function createTexts() {
  const texts = new Map<string, string>();
  return {
    texts,
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => void texts.set(key, text),
    removeItem: (key: string) => void texts.delete(key),
  };
}

/** Creates a browser profile, in which tabs can be opened. */
function openProfile() {
  const local = createTexts();
  const stored = new Map<string, unknown>();
  const blobs = {
    get: async (key: string) => stored.get(key),
    set: async (key: string, value: unknown) => void stored.set(key, value),
    del: async (key: string) => void stored.delete(key),
    keys: async () => [...stored.keys()],
  };
  const time = { nowMs: 0 };

  /** Loads the page in a tab. `session` is the storage of that tab. */
  function load(first: Caller | undefined, session = createTexts()) {
    const draft = createDraft();
    const caller = signal(first);
    const removals: number[] = [];
    const listeners: (() => void)[] = [];
    keepDraft(draft, {
      caller,
      storage: { local, session, blobs },
      onPageHide: (listener) => void listeners.push(listener),
      onRemoved: () => void removals.push(1),
      nowMs: () => time.nowMs,
    });
    return {
      draft,
      caller,
      session,
      removals,
      /** Hides the page, which can then be loaded again in the same tab. */
      hide: () => {
        for (const listener of listeners) listener();
      },
      prompt: () => draft.settings.value.prompt,
      names: () => draft.attachments.value.map(({ name }) => name),
      /** Writes a prompt and attaches a photograph. */
      async write(prompt: string) {
        await settled();
        draft.change({ prompt });
        draft.attach(image(prompt));
        await settled();
      },
    };
  }

  return { load, local, stored, time };
}

/** Resolves when every read and write of the blobs has ended. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('keepDraft', () => {
  it.each([
    ['without a token', undefined],
    ['with a token', 'alice'],
  ])('restores the prompt and the images after a reload %s', async (_how, token) => {
    const { load } = openProfile();
    const first = load(accepted(token));
    await first.write('a moon');
    first.hide();

    const again = load(assumed(token), first.session);
    await settled();

    expect([again.prompt(), again.names()]).toEqual(['a moon', ['a moon.png']]);
  });

  it.each([
    ['another token', 'bob'],
    ['no token', undefined],
  ])('hides the draft from %s in another tab of the browser', async (_whom, token) => {
    const { load } = openProfile();
    const first = load(accepted('alice'));
    await first.write('a moon');
    first.hide();

    const other = load(accepted(token));
    await settled();

    expect([other.prompt(), other.names()]).toEqual([undefined, []]);
  });

  it('removes the draft from the page and the browser when the bridge has accepted another token', async () => {
    const { load, stored } = openProfile();
    const { draft, caller, session, removals, write, prompt, names, hide } = load(
      accepted('alice'),
    );
    await write('a moon');
    hide();

    caller.value = accepted('bob');
    await settled();
    hide();

    expect([prompt(), names(), removals]).toEqual([undefined, [], [1]]);
    expect(draft.mask.value).toBeUndefined();
    const kept = JSON.stringify([...session.texts.values()]) + JSON.stringify([...stored.values()]);
    expect(kept).not.toContain('a moon');
    expect(kept).not.toContain('alice');
  });

  it('removes the draft when the token is forgotten, and the next token starts with an empty draft', async () => {
    const { load, stored } = openProfile();
    const { caller, session, write, prompt, names, hide } = load(accepted('alice'));
    await write('a moon');
    hide();

    caller.value = undefined;
    await settled();
    hide();

    expect([prompt(), names()]).toEqual([undefined, []]);
    expect([session.texts.size, stored.size]).toEqual([0, 0]);
    caller.value = accepted('alice');
    await settled();
    expect([prompt(), names()]).toEqual([undefined, []]);
  });

  it('does not restore images that were still being read when the token was forgotten', async () => {
    const { load } = openProfile();
    const first = load(accepted('alice'));
    await first.write('a moon');
    first.hide();

    const again = load(assumed('alice'), first.session);
    again.caller.value = undefined;
    await settled();

    expect(again.names()).toEqual([]);
  });

  it('hides the draft of a token from another token that the tab has after a reload', async () => {
    const { load } = openProfile();
    const first = load(accepted('alice'));
    await first.write('a moon');
    first.hide();

    const again = load(assumed('bob'), first.session);
    await settled();

    expect([again.prompt(), again.names()]).toEqual([undefined, []]);
  });

  it('keeps a draft that was written before a token was entered for the first accepted token', async () => {
    const { load } = openProfile();
    const { caller, write, prompt, names, hide, session, draft } = load(assumed());
    caller.value = undefined;
    await write('a moon');

    caller.value = accepted('alice');
    await settled();
    hide();

    expect([prompt(), names()]).toEqual(['a moon', ['a moon.png']]);
    expect(draft.attachments.value).toHaveLength(1);
    expect([...session.texts.values()].join()).toContain('a moon');
  });

  it('hides a draft stored without a token once the bridge requires a token, and removes it when the first token is accepted', async () => {
    const { load, local, stored } = openProfile();
    const open = load(accepted());
    await open.write('a moon');
    open.hide();

    const { caller, prompt, names } = load(assumed());
    caller.value = undefined;
    await settled();
    expect([prompt(), names()]).toEqual([undefined, []]);
    expect(local.texts.size).toBe(1);
    caller.value = accepted('alice');
    await settled();

    expect([prompt(), names()]).toEqual([undefined, []]);
    expect(local.texts.size).toBe(0);
    expect(JSON.stringify([...stored.values()])).not.toContain('a moon');
  });

  it('keeps the draft on the page when the bridge starts to require a token', async () => {
    const { load } = openProfile();
    const { caller, write, prompt, names } = load(accepted());
    await write('a moon');

    caller.value = undefined;
    caller.value = accepted('alice');
    await settled();

    expect([prompt(), names()]).toEqual(['a moon', ['a moon.png']]);
  });

  it('removes the images of tabs that were closed a day ago and keeps its own', async () => {
    const { load, stored, time } = openProfile();
    const closed = load(accepted('alice'));
    await closed.write('a moon');
    closed.hide();
    const own = load(accepted('bob'));
    await own.write('a hen');
    own.hide();
    time.nowMs = DAY_MS + 1;

    const again = load(assumed('bob'), own.session);
    await settled();
    await settled();

    expect(again.names()).toEqual(['a hen.png']);
    await vi.waitFor(() => expect(JSON.stringify([...stored.values()])).not.toContain('a moon'));
    expect(JSON.stringify([...stored.values()])).toContain('a hen');
  });
});
