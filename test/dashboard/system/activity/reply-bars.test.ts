import { describe, expect, it } from 'vitest';
import type { ApiEvent } from '../../../../dashboard/src/api/schemas.ts';
import {
  MINUTES,
  toBars,
  toMinutes,
} from '../../../../dashboard/src/system/activity/reply-bars.ts';

const NOW = 100 * 60_000 + 30_000;

function event(minute: number, status: number): ApiEvent {
  const timestamp_ms = minute * 60_000 + 1;
  return { sequence: 1, timestamp_ms, method: 'GET', route: '/v1/jobs', status, duration_ms: 1 };
}

describe('toMinutes', () => {
  it('counts the replies of each minute by their status, the current minute last', () => {
    const events = [event(100, 200), event(100, 304), event(100, 404), event(99, 503)];

    const minutes = toMinutes(events, NOW);

    expect(minutes).toHaveLength(MINUTES);
    expect(minutes.at(-1)).toEqual({ ok: 2, client: 1, server: 0 });
    expect(minutes.at(-2)).toEqual({ ok: 0, client: 0, server: 1 });
  });

  it('skips old events, and counts events from the future in the current minute', () => {
    const minutes = toMinutes([event(100 - MINUTES, 200), event(101, 200)], NOW);

    expect(minutes.map(({ ok }) => ok).reduce((sum, ok) => sum + ok, 0)).toBe(1);
    expect(minutes.at(-1)?.ok).toBe(1);
  });
});

describe('toBars', () => {
  it('stacks rejected requests on successful ones, and failed ones on both', () => {
    const minutes = [{ ok: 2, client: 1, server: 1 }];

    const bars = toBars(minutes, { width: 10, height: 100, above: 20, top: 8 });

    expect(bars).toEqual([
      { kind: 'ok', x: 1.5, y: 80, width: 7, height: 20 },
      { kind: 'client', x: 1.5, y: 70, width: 7, height: 10 },
      { kind: 'server', x: 1.5, y: 60, width: 7, height: 10 },
    ]);
  });

  it('draws nothing for a minute without replies', () => {
    const minutes = [{ ok: 0, client: 0, server: 0 }];

    expect(toBars(minutes, { width: 10, height: 100, above: 0, top: 1 })).toEqual([]);
  });
});
