import { describe, expect, it } from 'vitest';
import { completed, done, failureOf, imageCall, imageOf, play } from './outcome-rig.ts';
import { agentRequest } from './requests.ts';

const CALL = 'response.image_generation_call';
const IMAGE = imageOf(1);

const partial = (index: number, b64: string) => ({
  type: `${CALL}.partial_image`,
  partial_image_index: index,
  partial_image_b64: b64,
});

const failed = (response: object) => ({ type: 'response.failed', response });
const incomplete = (response: object) => ({ type: 'response.incomplete', response });

describe('createCallOutcome', () => {
  it('returns the image, the revised prompt and the usage', () => {
    const image = imageOf(1, 60_000);
    const item = imageCall(image, { revised_prompt: 'A calm lighthouse' });
    const { outcome, events } = play(
      [
        { type: 'response.created', response: {} },
        { type: 'response.in_progress', response: {} },
        { type: 'response.output_item.added', item: imageCall(null) },
        { type: `${CALL}.in_progress` },
        { type: `${CALL}.generating` },
        partial(0, imageOf(2, 50_000).toString('base64')),
        partial(1, imageOf(3).toString('base64')),
        { type: `${CALL}.completed` },
        done(item),
        completed([item], { usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } }),
      ],
      agentRequest({ indices: [4] }),
    );

    expect(outcome.isComplete()).toBe(true);
    expect(outcome.result()).toEqual({
      outputs: [{ bytes: image, revisedPrompt: 'A calm lighthouse' }],
      usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    });
    expect(events).toEqual([
      { type: 'progress', stage: 'generating', index: 4 },
      { type: 'partial_image', index: 4, partialIndex: 0, bytes: imageOf(2, 50_000) },
      { type: 'partial_image', index: 4, partialIndex: 1, bytes: imageOf(3) },
    ]);
  });

  it.each([
    ['an item that is done', [done(imageCall(IMAGE)), completed()]],
    ['the completed response alone', [completed([imageCall(IMAGE)])]],
    ['a response that repeats no items', [done(imageCall(IMAGE)), completed([], { output: null })]],
    [
      'a response without output',
      [done(imageCall(IMAGE)), { type: 'response.completed', response: {} }],
    ],
    [
      'an item that still says generating',
      [done(imageCall(IMAGE, { status: 'generating' })), completed()],
    ],
    [
      'an item without other members',
      [done({ type: 'image_generation_call', result: IMAGE.toString('base64') }), completed()],
    ],
    ['an item of an odd status', [done(imageCall(IMAGE, { status: 7 })), completed()]],
    [
      'the same image twice',
      [done(imageCall(IMAGE)), done(imageCall(IMAGE, { id: 'ig_2' })), completed()],
    ],
    ['the same image in both events', [done(imageCall(IMAGE)), completed([imageCall(IMAGE)])]],
    [
      'a failed call before it',
      [done(imageCall(null, { status: 'failed' })), done(imageCall(IMAGE)), completed()],
    ],
    [
      'a refusal beside it',
      [
        done({ type: 'message', content: [{ type: 'refusal' }] }),
        done(imageCall(IMAGE)),
        completed(),
      ],
    ],
    [
      'items of an unknown kind',
      [
        done({ type: 'hologram', content: 'words', status: {} }),
        done({ type: 'reasoning', content: [7] }),
        done(imageCall(IMAGE)),
        completed(),
      ],
    ],
  ])('finds the image in %s', (_name, events) => {
    const { outcome } = play(events);

    expect(outcome.result()).toEqual({ outputs: [{ bytes: IMAGE }] });
  });

  it.each([
    [
      'from the first item that has a prompt',
      [imageCall(IMAGE), imageCall(IMAGE, { revised_prompt: 'late' })],
      'late',
    ],
    [
      'from no item without an image',
      [imageCall(null, { revised_prompt: 'no' }), imageCall(IMAGE)],
      undefined,
    ],
    ['when it is empty', [imageCall(IMAGE, { revised_prompt: '' })], undefined],
    ['when it is not a string', [imageCall(IMAGE, { revised_prompt: 7 })], undefined],
    [
      'when it is too long for a text',
      [imageCall(IMAGE, { revised_prompt: 'a'.repeat(30_000) })],
      undefined,
    ],
  ])('returns the revised prompt %s', (_name, items, revisedPrompt) => {
    const { outcome } = play([...items.map(done), completed()]);

    expect(outcome.result().outputs[0]?.revisedPrompt).toBe(revisedPrompt);
  });

  it.each([
    ['an unknown event', { type: 'codex.rate_limits', rate_limits: {} }],
    ['a known event that is not used', { type: 'response.output_text.delta', delta: 7 }],
    ['an added item', { type: 'response.output_item.added', item: 7 }],
    ['a queued response', { type: 'response.queued' }],
  ])('ignores %s', (_name, event) => {
    const { outcome, events } = play([event, done(imageCall(IMAGE)), event, completed()]);

    expect(outcome.result().outputs).toHaveLength(1);
    expect(events).toEqual([]);
  });

  it.each([
    ['nothing', []],
    ['an opening', [{ type: 'response.created' }]],
    ['a partial image', [partial(0, IMAGE.toString('base64'))]],
    ['a finished item', [done(imageCall(IMAGE))]],
  ])('throws an error of unknown outcome if the stream ends after %s', (_name, events) => {
    expect(failureOf(events)).toMatchObject({
      code: 'protocol',
      retryable: false,
      transient: false,
      details: { outcome: 'unknown', reason: 'stream_ended_early' },
    });
  });

  it.each([
    ['null', null],
    ['a word', 'alive'],
    ['a list', []],
    ['an object without a type', { sequence_number: 7 }],
    ['a type that is not a string', { type: 7 }],
    ['a done item that is missing', { type: 'response.output_item.done' }],
    ['an item without a type', done({ result: 'AAAA' })],
    ['a result that is not a string', done(imageCall(IMAGE, { result: 7 }))],
    ['a partial image that is not a string', { ...partial(0, ''), partial_image_b64: 7 }],
    ['a partial image without its index', { type: `${CALL}.partial_image`, partial_image_b64: '' }],
    ['a partial image with a broken index', partial(0.5, 'AAAA')],
    ['a response that is missing', { type: 'response.completed' }],
    ['a response whose output is not a list', completed([], { output: {} })],
    ['a failed response that is missing', { type: 'response.failed' }],
  ])('throws an error of unknown outcome for an event that is %s', (_name, event) => {
    const { outcome, thrown } = play([event, done(imageCall(IMAGE)), completed()]);

    expect(thrown).toMatchObject({
      code: 'protocol',
      retryable: false,
      details: { outcome: 'unknown', reason: 'unexpected_event' },
    });
    expect(outcome.isComplete()).toBe(false);
  });

  it.each([
    ['a failure', failed({ error: { code: 'server_error' } })],
    ['an error', { type: 'error', code: 'server_error' }],
    ['another image', done(imageCall(imageOf(2)))],
    ['a partial image', partial(0, 'AAAA')],
    ['another end', completed([imageCall(imageOf(2))])],
    ['nonsense', null],
  ])('ignores %s after the response has completed', (_name, event) => {
    const { outcome, events } = play([done(imageCall(IMAGE)), completed(), event]);

    expect(outcome.result()).toEqual({ outputs: [{ bytes: IMAGE }] });
    expect(events).toEqual([]);
  });

  it.each([
    [
      'two different images',
      [done(imageCall(IMAGE)), done(imageCall(imageOf(2))), completed()],
      'different_images',
    ],
    [
      'a response that contradicts its item',
      [done(imageCall(IMAGE)), completed([imageCall(imageOf(2))])],
      'different_images',
    ],
    [
      'an image that only continues another',
      [done(imageCall(IMAGE)), completed([imageCall(imageOf(1, 700))])],
      'different_images',
    ],
    [
      'words in place of an image',
      [done(imageCall('this is no image')), completed()],
      'unusable_image',
    ],
    [
      'a data URL',
      [done(imageCall(`data:image/png;base64,${IMAGE.toString('base64')}`)), completed()],
      'unusable_image',
    ],
    [
      'the alphabet for URLs',
      [done(imageCall(Buffer.alloc(90, 0xff).toString('base64url'))), completed()],
      'unusable_image',
    ],
    [
      'a long image with a hole',
      [done(imageCall(`${'A'.repeat(20_000)}*${'A'.repeat(20_003)}`)), completed()],
      'unusable_image',
    ],
    [
      'a good image after a bad one',
      [done(imageCall('**')), completed([imageCall(IMAGE)])],
      'unusable_image',
    ],
  ])('throws a protocol error of known outcome for %s', (_name, events, reason) => {
    expect(failureOf(events)).toMatchObject({
      code: 'protocol',
      retryable: false,
      transient: false,
      details: { reason },
    });
    expect(failureOf(events)).not.toMatchObject({ details: { outcome: 'unknown' } });
  });

  it('never returns a partial image as the final image', () => {
    expect(failureOf([partial(0, IMAGE.toString('base64')), completed()])).toMatchObject({
      code: 'upstream',
      retryable: true,
    });
  });

  it('skips a partial image that is not base64', () => {
    const { outcome, events } = play([
      partial(0, 'no base64!'),
      done(imageCall(IMAGE)),
      completed(),
    ]);

    expect(events).toEqual([]);
    expect(outcome.result().outputs).toHaveLength(1);
  });
});

describe('a response that completes without an image', () => {
  it.each([
    ['a refusal', [{ type: 'message', content: [{ type: 'output_text' }, { type: 'refusal' }] }]],
    [
      'a refusal and a failed call',
      [imageCall(null, { status: 'failed' }), { type: 'message', content: [{ type: 'refusal' }] }],
    ],
    ['a refusal beside odd parts', [{ type: 'message', content: [7, null, { type: 'refusal' }] }]],
  ])('is reported as a safety rejection for %s', (_name, items) => {
    expect(failureOf([completed(items)])).toMatchObject({
      code: 'safety_rejected',
      retryable: false,
      transient: false,
      details: { safety_category: 'content_policy', retry_same_request: false },
    });
  });

  it.each([
    ['nothing', [], {}],
    [
      'words',
      [{ type: 'message', content: [{ type: 'output_text', text: 'secret words' }] }],
      { output_item_types: ['message'], message_content_types: ['output_text'] },
    ],
    [
      'a failed call',
      [imageCall(null, { status: 'failed' })],
      { output_item_types: ['image_generation_call'], image_call_statuses: ['failed'] },
    ],
    [
      'an empty result',
      [imageCall('', { status: 'completed' })],
      { output_item_types: ['image_generation_call'], image_call_statuses: ['completed'] },
    ],
    [
      'unknown kinds',
      [
        { type: 'secret words', content: [{ type: 'more secret words' }] },
        imageCall(null, { status: 'still more' }),
        { type: 'reasoning', content: null },
      ],
      {
        output_item_types: ['image_generation_call', 'other', 'reasoning'],
        message_content_types: ['other'],
        image_call_statuses: ['other'],
      },
    ],
  ])('is retryable and reports the kinds of its items: %s', (_name, items, details) => {
    const error = failureOf([...items.map(done), completed(items)]);

    expect(error).toMatchObject({ code: 'upstream', retryable: true, transient: true });
    expect(error).toHaveProperty('details', { reason: 'no_image', ...details });
  });
});

describe('a response that fails', () => {
  it.each([
    [
      'by the code of its error',
      failed({ error: { code: 'server_error', message: 'words' } }),
      { code: 'upstream', transient: true },
    ],
    [
      'by an unknown code',
      failed({ error: { code: 'odd' } }),
      { code: 'upstream', transient: false, details: { upstream_code: 'odd' } },
    ],
    [
      'by a type in place of a code',
      failed({ error: { code: null, type: 'usage_limit_reached', resets_in_seconds: 60 } }),
      { code: 'rate_limited', details: { retry_after_ms: 60_000 } },
    ],
    [
      'without a reason',
      failed({ error: null }),
      { code: 'upstream', retryable: false, details: {} },
    ],
    [
      'with an error that is none',
      failed({ error: 'words' }),
      { code: 'upstream', retryable: false, details: {} },
    ],
    [
      'for a content filter',
      incomplete({ error: null, incomplete_details: { reason: 'content_filter' } }),
      { code: 'safety_rejected' },
    ],
    [
      'for another reason',
      incomplete({ incomplete_details: { reason: 'max_output_tokens' } }),
      {
        code: 'upstream',
        retryable: false,
        transient: false,
        details: { upstream_code: 'max_output_tokens' },
      },
    ],
    [
      'for a reason that looks like a code',
      incomplete({ incomplete_details: { reason: 'server_error' } }),
      { code: 'upstream', retryable: false, transient: false },
    ],
    [
      'by its code rather than its reason',
      incomplete({
        error: { code: 'moderation_blocked', moderation_stage: 'output' },
        incomplete_details: { reason: 'max_output_tokens' },
      }),
      { code: 'safety_rejected', details: { moderation_stage: 'output' } },
    ],
    [
      'by its reason when its error has no code',
      incomplete({
        error: { message: 'words', moderation_stage: 'input' },
        incomplete_details: { reason: 'content_filter' },
      }),
      { code: 'safety_rejected', details: { moderation_stage: 'input' } },
    ],
    ['incomplete without a reason', incomplete({}), { code: 'upstream', retryable: false }],
    [
      'by an error event',
      { type: 'error', code: 'rate_limit_exceeded', message: 'words' },
      { code: 'rate_limited', transient: true },
    ],
    [
      'by an error event with an error inside',
      { type: 'error', error: { type: 'x', code: 'cyber_policy' } },
      { code: 'safety_rejected' },
    ],
    [
      'by an error event with both',
      { type: 'error', code: 'server_error', error: { code: 'permission_denied' } },
      { code: 'permission_denied' },
    ],
    [
      'by an error event whose inner error says less',
      { type: 'error', code: 'permission_denied', error: { message: 'words' } },
      { code: 'permission_denied' },
    ],
    [
      'by an error event without a code',
      { type: 'error', message: 'words' },
      { code: 'upstream', retryable: false, details: {} },
    ],
    [
      'by an error event whose type is all it has',
      { type: 'error', error: { type: 'invalid_request_error' } },
      { code: 'refused_by_provider', details: { upstream_code: 'invalid_request_error' } },
    ],
  ])('is reported %s', (_name, event, expected) => {
    expect(failureOf([event, done(imageCall(IMAGE)), completed()])).toMatchObject(expected);
  });

  it.each(['authentication_error', 'invalid_api_key', 'token_expired'])(
    'is not repeated for the code %s because only status 401 renews the login',
    (code) => {
      expect(failureOf([failed({ error: { code } })])).toMatchObject({
        code: 'provider_authentication',
        transient: false,
      });
    },
  );
});

describe('hasBegun', () => {
  it.each([
    ['nothing', [], false],
    ['progress', [{ type: `${CALL}.generating` }], false],
    ['words', [done({ type: 'message', content: [{ type: 'output_text' }] })], false],
    ['a failed call', [done(imageCall(null, { status: 'failed' }))], false],
    ['a partial image', [partial(0, IMAGE.toString('base64'))], true],
    ['a partial image that is not base64', [partial(0, 'no base64!')], true],
    ['a finished image', [done(imageCall(IMAGE))], true],
    ['a finished image that is not base64', [done(imageCall('no base64!'))], true],
  ])('returns true or false for output after %s', (_name, events, hasBegun) => {
    expect(play(events).outcome.hasBegun()).toBe(hasBegun);
  });
});
