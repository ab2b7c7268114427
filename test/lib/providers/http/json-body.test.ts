import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../../lib/platform/clock.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { createTimeSlices } from '../../../../lib/platform/time-slices.ts';
import { createJsonBodies } from '../../../../lib/providers/http/json-body.ts';

const IMAGE = Buffer.from(Uint8Array.from({ length: 1_000_001 }, (_, at) => (at * 31) % 251));

function bodies(clock: Pick<Clock, 'monotonicMs'> = systemClock) {
  return createJsonBodies({ ids: createIds(systemClock.nowMs), slices: createTimeSlices(clock) });
}

async function parsed(body: ReturnType<ReturnType<typeof bodies>>): Promise<unknown> {
  const bytes = await buffer(body.chunks(new AbortController().signal));
  expect(bytes.length).toBe(body.byteLength);
  return JSON.parse(bytes.toString('utf8'));
}

describe('createJsonBodies', () => {
  it('replaces each placeholder by base64, as a whole value or inside a text, in any order', async () => {
    const body = bodies()((base64Of) => {
      const last = base64Of(Buffer.from('last'));
      return { url: `data:image/png;base64,${base64Of(Buffer.from('first'))};x`, last };
    });

    expect(await parsed(body)).toEqual({
      url: 'data:image/png;base64,Zmlyc3Q=;x',
      last: 'bGFzdA==',
    });
  });

  it.each([0, 1, 2, 3, 98_303, 98_304, 98_305, 1_000_001])(
    'encodes %i bytes as one text',
    async (length) => {
      const bytes = IMAGE.subarray(0, length);

      const body = bodies()((base64Of) => ({ image: base64Of(bytes) }));

      expect(await parsed(body)).toEqual({ image: bytes.toString('base64') });
    },
  );

  it('yields the same body each time it is sent', async () => {
    const body = bodies()((base64Of) => [base64Of(IMAGE), 'ü']);

    expect(await parsed(body)).toEqual(await parsed(body));
  });

  it('leaves a text unchanged that resembles a placeholder of another body', async () => {
    const toJsonBody = bodies();
    let marker = '';
    toJsonBody((base64Of) => {
      marker = base64Of(IMAGE);
      return {};
    });

    const body = toJsonBody((base64Of) => [marker, base64Of(Buffer.from('x'))]);

    expect(await parsed(body)).toEqual([marker, 'eA==']);
  });

  it('encodes base64 in chunks and lets other work run in between', async () => {
    let nowMs = 0;
    // Each reading of the clock takes longer than the time budget of a turn.
    const clock = {
      monotonicMs: () => {
        nowMs += 10;
        return nowMs;
      },
    };
    const body = bodies(clock)((base64Of) => [base64Of(IMAGE)]);
    let turns = 0;
    let isOver = false;
    const counting = (async () => {
      for (; !isOver; turns += 1) await turn();
    })();

    const sizes: number[] = [];
    for await (const chunk of body.chunks(new AbortController().signal)) sizes.push(chunk.length);
    isOver = true;
    await counting;

    expect(Math.max(...sizes)).toBeLessThanOrEqual(131_072);
    expect(turns).toBeGreaterThanOrEqual(sizes.length - 4);
  });
});
