import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createResponsesUpstream, type ResponsesUpstream } from '../responses-upstream.ts';
import { FAILURE_ROWS } from './failure-rows.ts';
import { type Observed, observe, typesOf } from './observe.ts';

type Name = (typeof FAILURE_ROWS)[number]['name'];

let upstream: ResponsesUpstream;

beforeAll(async () => {
  upstream = await createResponsesUpstream({ imageBytes: 30_000 });
});
afterAll(() => upstream.close());

const PARTIAL = 'response.image_generation_call.partial_image';

/** Rows that do not match `failed=CODE`, `error=CODE` or `error-nested=CODE`. */
const OTHERS = new Map<Name, (observed: Observed) => void>([
  ['failed=odd-code', (observed) => expect(lastResponse(observed)?.error?.code).toMatch(/[ "<]/)],
  ['failed=no-error', (observed) => expect(lastResponse(observed)?.error).toBeNull()],
  [
    'failed-after-partial',
    (observed) => expect(typesOf(observed).slice(-2)).toEqual([PARTIAL, 'response.failed']),
  ],
  [
    'failed-after-item',
    (observed) =>
      expect(typesOf(observed).slice(-2)).toEqual(['response.output_item.done', 'response.failed']),
  ],
  ['incomplete=content_filter', (observed) => isIncomplete(observed, 'content_filter', undefined)],
  [
    'incomplete=max_output_tokens',
    (observed) => isIncomplete(observed, 'max_output_tokens', undefined),
  ],
  [
    'incomplete=code',
    (observed) => isIncomplete(observed, 'max_output_tokens', 'moderation_blocked'),
  ],
  [
    'error-then-success',
    (observed) =>
      expect([typesOf(observed)[0], typesOf(observed).at(-1)]).toEqual([
        'error',
        'response.completed',
      ]),
  ],
  ['refusal', (observed) => hasItems(observed, ['message']).toEqual(['refusal'])],
  ['no-image', (observed) => hasItems(observed, ['message']).toEqual(['output_text'])],
  ['no-image=empty', (observed) => hasItems(observed, []).toEqual([])],
  ['failed-call', (observed) => hasItems(observed, ['image_generation_call']).toEqual(['failed'])],
  ['two-images=different', (observed) => hasImages(observed, 2, 2)],
  ['two-images=equal', (observed) => hasImages(observed, 2, 1)],
  ['two-images=contradiction', (observed) => hasImages(observed, 1, 2)],
]);

describe('FAILURE_ROWS', () => {
  it.each(FAILURE_ROWS)('ends its stream with what $name says', async ({ name }) => {
    const observed = await observe(upstream, name);

    const { reply, call, events } = observed;
    expect([reply?.status, reply?.end, call?.outcome]).toEqual([200, 'ended', 'replied']);
    const other = OTHERS.get(name);
    if (other) {
      other(observed);
      return;
    }
    const [kind, code] = name.split('=');
    const last = events.at(-1);
    const reported = {
      failed: last?.response?.error?.code,
      error: last?.code,
      'error-nested': last?.error?.code,
    };
    expect(last?.type).toBe(kind === 'failed' ? 'response.failed' : 'error');
    expect(Object.entries(reported).filter(([, value]) => value !== undefined)).toEqual([
      [kind, code],
    ]);
  });

  it('contains stage and categories, and the time at which a limit ends', async () => {
    const blocked = await observe(upstream, 'failed=moderation_blocked');
    const limited = await observe(upstream, 'error-nested=usage_limit_reached');

    expect(blocked.text).toContain(
      '"moderation_stage":"output","moderation_categories":["violence"',
    );
    expect(limited.text).toContain('"resets_in_seconds":3600');
  });
});

function lastResponse({ events }: Observed) {
  return events.at(-1)?.response;
}

function isIncomplete(observed: Observed, reason: string, code: string | undefined): void {
  expect(typesOf(observed).at(-1)).toBe('response.incomplete');
  expect(lastResponse(observed)?.incomplete_details).toEqual({ reason });
  expect(lastResponse(observed)?.error?.code).toBe(code);
}

/** Checks the items of a completed response. Returns an expectation for their contents. */
function hasItems(observed: Observed, types: readonly string[]) {
  const output = lastResponse(observed)?.output ?? [];
  expect(typesOf(observed).at(-1)).toBe('response.completed');
  expect(observed.results).toEqual([]);
  expect(output.map(({ type }) => type)).toEqual(types);
  return expect(
    output.flatMap(({ content, status }) => content?.map(({ type }) => type) ?? [status]),
  );
}

function hasImages({ events, results }: Observed, items: number, images: number): void {
  expect(events.filter(({ item }) => item?.result != null)).toHaveLength(items);
  expect(new Set(results).size).toBe(images);
  expect(events.at(-1)?.type).toBe('response.completed');
}
