import { describe, expect, it } from 'vitest';
import { createEventRing } from '../../../lib/diagnostics/event-ring.ts';
import type { ObservedReply } from '../../../lib/http/observer-port.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const reply: ObservedReply = {
  route: '/v1/images',
  method: 'POST',
  status: 200,
  durationMs: 12,
  callerId: 'alice',
};

function ringWith(count: number) {
  const ring = createEventRing({ clock: createManualClock() });
  for (let nth = 0; nth < count; nth += 1) ring.replied({ ...reply, status: 200 + nth });
  return ring.report();
}

describe('createEventRing', () => {
  it('is empty before the first reply', () => {
    expect(ringWith(0)).toEqual({ capacity: 256, overwritten: 0, items: [] });
  });

  it('reports a reply by its route, method, status, time and sequence', async () => {
    const clock = createManualClock();
    const ring = createEventRing({ clock });
    await clock.advance(5000);

    ring.replied({ ...reply, durationMs: 1.23456 });

    expect(ring.report().items).toEqual([
      {
        sequence: 1,
        timestamp_ms: clock.nowMs(),
        method: 'POST',
        route: '/v1/images',
        status: 200,
        duration_ms: 1.235,
      },
    ]);
  });

  it.each([
    [1, 0, 1],
    [255, 0, 1],
    [256, 0, 1],
    [257, 1, 2],
    [512, 256, 257],
    [1000, 744, 745],
  ])(
    'after %i replies %i are overwritten and the newest stand first',
    (count, overwritten, oldest) => {
      const report = ringWith(count);

      const sequences = report.items.map(({ sequence }) => sequence);
      expect(report.overwritten).toBe(overwritten);
      expect(sequences).toEqual(
        Array.from({ length: count - oldest + 1 }, (_, index) => count - index),
      );
      expect(report.items.every(({ sequence, status }) => status === 199 + sequence)).toBe(true);
    },
  );

  it('shows a caller only its own replies, with their own numbers', () => {
    const ring = createEventRing({ clock: createManualClock() });
    for (const callerId of ['bob', 'alice', undefined, 'bob', 'alice', '']) {
      ring.replied({ ...reply, callerId });
    }

    const sequencesOf = (callerId?: string) =>
      ring.report(callerId).items.map(({ sequence }) => sequence);
    expect(sequencesOf('alice')).toEqual([2, 1]);
    expect(sequencesOf('')).toEqual([1]);
    expect(sequencesOf('carol')).toEqual([]);
    expect(sequencesOf()).toEqual([6, 5, 4, 3, 2, 1]);
  });

  it("counts only the caller's own replies as overwritten", () => {
    const ring = createEventRing({ clock: createManualClock() });
    for (const callerId of ['alice', 'alice', ...Array.from({ length: 255 }, () => 'bob')]) {
      ring.replied({ ...reply, callerId });
    }

    expect(ring.report('alice')).toMatchObject({ overwritten: 1, items: [{ sequence: 2 }] });
    expect(ring.report('bob')).toMatchObject({ overwritten: 0 });
    expect(ring.report()).toMatchObject({ overwritten: 1 });
  });

  it.each(['/health/live', '/health/ready', '/metrics', '/dashboard/assets/{name}'])(
    'leaves out %s',
    (route) => {
      const ring = createEventRing({ clock: createManualClock() });

      ring.replied({ ...reply, route });

      expect(ring.report()).toMatchObject({ overwritten: 0, items: [] });
    },
  );

  it('returns a report that later replies do not change', () => {
    const ring = createEventRing({ clock: createManualClock() });
    ring.replied(reply);
    const report = ring.report();

    ring.replied(reply);

    expect(report.items).toHaveLength(1);
  });
});
