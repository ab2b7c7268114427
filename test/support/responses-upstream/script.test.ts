import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callWell } from './good-calls.ts';
import { createResponsesUpstream, type ResponsesUpstream } from './responses-upstream.ts';

let upstream: ResponsesUpstream;

beforeEach(async () => {
  upstream = await createResponsesUpstream({ imageBytes: 30_000 });
});
afterEach(() => upstream.close());

describe('createScript', () => {
  it('selects the behaviour from the queue, then by the marker in the prompt, then the default', async () => {
    upstream.script('status=503');
    upstream.setDefaultBehaviour('status=404');

    const prompts = ['[[fail:status=429]]', '[[fail:status=429]]', 'A cup'];
    const statuses: (number | undefined)[] = [];
    for (const prompt of prompts) statuses.push((await callWell(upstream, prompt))?.status);

    expect(statuses).toEqual([503, 429, 404]);
  });

  it('uses the names of a marker one call after the other', async () => {
    const statuses: (number | undefined)[] = [];
    for (let call = 0; call < 3; call += 1) {
      statuses.push((await callWell(upstream, 'A cup [[fail:status=503;succeed]]'))?.status);
    }

    expect(statuses).toEqual([503, 200, 200]);
  });
});

describe('createByteSink', () => {
  it('cuts replies into pieces of the same sizes for the same seed', async () => {
    const settings = { chunks: { seed: 7, maxBytes: 500 }, hasExtras: false } as const;
    upstream.script({ behaviour: 'failed=no-error', ...settings });
    upstream.script({ behaviour: 'failed=no-error', ...settings });

    const [first, second] = [await callWell(upstream, 'One'), await callWell(upstream, 'Two')];

    expect(Math.max(...(first?.pieces ?? []))).toBeLessThanOrEqual(500);
    expect(new Set(first?.pieces).size).toBeGreaterThan(3);
    expect(first?.pieces).toEqual(second?.pieces);
  });
});
