import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createToasts } from '../../../dashboard/src/shell/toasts.ts';

const shown = (toasts: ReturnType<typeof createToasts>) =>
  toasts.list.value.map(({ text }) => text);

describe('createToasts', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('removes a success after six seconds and keeps a failure', () => {
    const toasts = createToasts();
    toasts.show({ kind: 'done', text: 'Hidden' });
    toasts.show({ kind: 'failed', text: 'Refused' });

    vi.advanceTimersByTime(5999);
    expect(shown(toasts)).toEqual(['Hidden', 'Refused']);
    vi.advanceTimersByTime(1);
    expect(shown(toasts)).toEqual(['Refused']);
  });

  it.each(['pointer', 'focus'] as const)(
    'lets no time pass while the %s is on a message',
    (holder) => {
      const toasts = createToasts();
      const first = toasts.show({ kind: 'done', text: 'Hidden' });

      vi.advanceTimersByTime(4000);
      toasts.hold(holder, first);
      vi.advanceTimersByTime(60_000);
      toasts.show({ kind: 'done', text: 'Copied' });
      vi.advanceTimersByTime(60_000);
      expect(shown(toasts)).toEqual(['Hidden', 'Copied']);

      toasts.hold(holder, undefined);
      vi.advanceTimersByTime(1999);
      expect(shown(toasts)).toEqual(['Hidden', 'Copied']);
      vi.advanceTimersByTime(1);
      expect(shown(toasts)).toEqual(['Copied']);
      vi.advanceTimersByTime(4000);
      expect(shown(toasts)).toEqual([]);
    },
  );

  it('waits until the focus has left the messages as well', () => {
    const toasts = createToasts();
    const first = toasts.show({ kind: 'done', text: 'Hidden' });
    toasts.hold('focus', first);
    toasts.hold('pointer', first);

    toasts.hold('pointer', undefined);
    vi.advanceTimersByTime(60_000);
    expect(shown(toasts)).toEqual(['Hidden']);

    toasts.hold('focus', undefined);
    vi.advanceTimersByTime(6000);
    expect(shown(toasts)).toEqual([]);
  });

  it('resumes the countdown when the held message is closed', () => {
    const toasts = createToasts();
    const first = toasts.show({ kind: 'done', text: 'Hidden' });
    toasts.show({ kind: 'done', text: 'Copied' });
    toasts.hold('pointer', first);

    toasts.close(first);
    vi.advanceTimersByTime(6000);

    expect(shown(toasts)).toEqual([]);
  });
});
