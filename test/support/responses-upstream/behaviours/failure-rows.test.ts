import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createResponsesUpstream, type ResponsesUpstream } from '../responses-upstream.ts';
import { FAILURE_ROWS } from './failure-rows.ts';
import { type Met, meet, typesOf } from './meet.ts';

type Name = (typeof FAILURE_ROWS)[number]['name'];

let upstream: ResponsesUpstream;

beforeAll(async () => {
  upstream = await createResponsesUpstream({ imageBytes: 30_000 });
});
afterAll(() => upstream.close());

const PARTIAL = 'response.image_generation_call.partial_image';

/** Rows that are not of the kind `failed=CODE`, `error=CODE` or `error-nested=CODE`. */
const OTHERS = new Map<Name, (met: Met) => void>([
  ['failed=odd-code', (met) => expect(lastResponse(met)?.error?.code).toMatch(/[ "<]/)],
  ['failed=no-error', (met) => expect(lastResponse(met)?.error).toBeNull()],
  [
    'failed-after-partial',
    (met) => expect(typesOf(met).slice(-2)).toEqual([PARTIAL, 'response.failed']),
  ],
  [
    'failed-after-item',
    (met) =>
      expect(typesOf(met).slice(-2)).toEqual(['response.output_item.done', 'response.failed']),
  ],
  ['incomplete=content_filter', (met) => isIncomplete(met, 'content_filter', undefined)],
  ['incomplete=max_output_tokens', (met) => isIncomplete(met, 'max_output_tokens', undefined)],
  ['incomplete=code', (met) => isIncomplete(met, 'max_output_tokens', 'moderation_blocked')],
  [
    'error-then-success',
    (met) =>
      expect([typesOf(met)[0], typesOf(met).at(-1)]).toEqual(['error', 'response.completed']),
  ],
  ['refusal', (met) => hasItems(met, ['message']).toEqual(['refusal'])],
  ['no-image', (met) => hasItems(met, ['message']).toEqual(['output_text'])],
  ['no-image=empty', (met) => hasItems(met, []).toEqual([])],
  ['failed-call', (met) => hasItems(met, ['image_generation_call']).toEqual(['failed'])],
  ['two-images=different', (met) => hasImages(met, 2, 2)],
  ['two-images=equal', (met) => hasImages(met, 2, 1)],
  ['two-images=contradiction', (met) => hasImages(met, 1, 2)],
]);

describe('FAILURE_ROWS', () => {
  it.each(FAILURE_ROWS)('ends its stream with what $name says', async ({ name }) => {
    const met = await meet(upstream, name);

    const { reply, call, events } = met;
    expect([reply?.status, reply?.end, call?.outcome]).toEqual([200, 'ended', 'answered']);
    const other = OTHERS.get(name);
    if (other) {
      other(met);
      return;
    }
    const [kind, code] = name.split('=');
    const last = events.at(-1);
    const told = {
      failed: last?.response?.error?.code,
      error: last?.code,
      'error-nested': last?.error?.code,
    };
    expect(last?.type).toBe(kind === 'failed' ? 'response.failed' : 'error');
    expect(Object.entries(told).filter(([, value]) => value !== undefined)).toEqual([[kind, code]]);
  });

  it('tells stage and categories, and when a limit ends', async () => {
    const blocked = await meet(upstream, 'failed=moderation_blocked');
    const limited = await meet(upstream, 'error-nested=usage_limit_reached');

    expect(blocked.text).toContain(
      '"moderation_stage":"output","moderation_categories":["violence"',
    );
    expect(limited.text).toContain('"resets_in_seconds":3600');
  });
});

function lastResponse({ events }: Met) {
  return events.at(-1)?.response;
}

function isIncomplete(met: Met, reason: string, code: string | undefined): void {
  expect(typesOf(met).at(-1)).toBe('response.incomplete');
  expect(lastResponse(met)?.incomplete_details).toEqual({ reason });
  expect(lastResponse(met)?.error?.code).toBe(code);
}

/** Checks what a completed response holds; what is left to judge is what its items hold. */
function hasItems(met: Met, types: readonly string[]) {
  const output = lastResponse(met)?.output ?? [];
  expect(typesOf(met).at(-1)).toBe('response.completed');
  expect(met.results).toEqual([]);
  expect(output.map(({ type }) => type)).toEqual(types);
  return expect(
    output.flatMap(({ content, status }) => content?.map(({ type }) => type) ?? [status]),
  );
}

function hasImages({ events, results }: Met, items: number, images: number): void {
  expect(events.filter(({ item }) => item?.result != null)).toHaveLength(items);
  expect(new Set(results).size).toBe(images);
  expect(events.at(-1)?.type).toBe('response.completed');
}
