import type { ApiEvent } from '../../api/schemas.ts';
import type { Frame } from '../chart/step-line.ts';

/** The number of replies in one minute, by class of the HTTP status. */
export interface Minute {
  readonly ok: number;
  readonly client: number;
  readonly server: number;
}

export const MINUTES = 30;
const MINUTE_MS = 60_000;

/** Groups events by minute, oldest first. `now` is the time of the bridge in Unix milliseconds. */
export function toMinutes(events: readonly ApiEvent[], now: number): readonly Minute[] {
  const minutes = Array.from({ length: MINUTES }, () => ({ ok: 0, client: 0, server: 0 }));
  const current = Math.floor(now / MINUTE_MS);
  for (const { timestamp_ms, status } of events) {
    const age = Math.max(0, current - Math.floor(timestamp_ms / MINUTE_MS));
    const minute = minutes[MINUTES - 1 - age];
    if (minute) minute[toClass(status)] += 1;
  }
  return minutes;
}

export function toClass(status: number): keyof Minute {
  if (status >= 500) return 'server';
  return status >= 400 ? 'client' : 'ok';
}

export function totalOf({ ok, client, server }: Minute): number {
  return ok + client + server;
}

type BarFrame = Pick<Frame, 'width' | 'height' | 'above' | 'top'>;

/** Returns the rectangles of stacked bars, one bar for each minute. */
export function toBars(minutes: readonly Minute[], frame: BarFrame) {
  const { width, height, above = 0, top } = frame;
  const step = width / minutes.length;
  const scale = (height - above) / top;
  return minutes.flatMap((minute, index) => {
    let y = height;
    return (['ok', 'client', 'server'] as const).flatMap((kind) => {
      if (minute[kind] === 0) return [];
      const tall = minute[kind] * scale;
      y -= tall;
      return [{ kind, x: index * step + step * 0.15, y, width: step * 0.7, height: tall }];
    });
  });
}

/** The duration of a full bar, in milliseconds. */
const LONGEST_MS = 100_000;

/** Returns the length of the bar for a duration, from 0 to 1 on a logarithmic scale. */
export function durationShare(milliseconds: number): number {
  const share = Math.log10(Math.max(1, milliseconds)) / Math.log10(LONGEST_MS);
  return Math.min(1, share);
}
