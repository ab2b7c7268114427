import Replicate from 'replicate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPLICATE } from '../../../../lib/providers/task/services/replicate.ts';
import { REPLICATE_UPSTREAM } from '../../../support/task-upstream/services/replicate.ts';
import {
  createTaskUpstream,
  type TaskUpstream,
} from '../../../support/task-upstream/task-upstream.ts';
import { agentRequest } from '../agent-responses/requests.ts';

const PREDICTION = {
  id: 'p1',
  status: 'succeeded',
  output: 'https://replicate.delivery/a.png',
  error: null,
  urls: { get: 'https://api.replicate.com/v1/predictions/p1' },
  metrics: { predict_time: 1.5 },
};

function polled(parts: object) {
  return REPLICATE.polled({
    status: 200,
    header: () => undefined,
    value: { ...PREDICTION, ...parts },
  });
}

function submissionOf(model: string, remainingMs = 60_000) {
  const known = REPLICATE.model(model);
  if (!known) throw new Error('Replicate has no model');
  const request = agentRequest({ model, prompt: 'A gull' });
  return REPLICATE.submission(
    { request, model: known, constants: { steps: 4 }, seed: 7 },
    remainingMs,
  );
}

describe('REPLICATE', () => {
  it('submits a task of a model, or of one version of a model', () => {
    const [model, version] = [submissionOf('owner/name'), submissionOf('owner/name:1234')];
    const images = { base64: () => '', url: () => '' };

    expect(model.path).toBe('/models/owner/name/predictions');
    expect('json' in model.body && model.body.json(images)).toEqual({
      input: { prompt: 'A gull', steps: 4 },
    });
    expect(version.path).toBe('/predictions');
    expect('json' in version.body && version.body.json(images)).toMatchObject({ version: '1234' });
  });

  it.each([
    [90_000, '90s'],
    [5001, '6s'],
    [0, '5s'],
  ])('limits a prediction to %i ms as %s', (remainingMs, limit) => {
    expect(submissionOf('owner/name', remainingMs).headers).toEqual({ 'cancel-after': limit });
  });

  it.each<readonly [string, object, object | undefined]>([
    ['one URL', {}, { phase: 'done', images: [PREDICTION.output], charge: { seconds: 1.5 } }],
    ['a list', { output: ['https://a', 'https://b'] }, { images: ['https://a', 'https://b'] }],
    ['an object', { output: { image: 'x' } }, { phase: 'done', images: [] }],
    ['no metrics', { metrics: null }, { phase: 'done' }],
    [
      'NSFW',
      { status: 'failed', error: 'NSFW content' },
      { failure: { row: { code: 'safety_rejected' } } },
    ],
    [
      '(E005)',
      { status: 'failed', error: 'flagged (E005)' },
      { failure: { row: { code: 'safety_rejected' } } },
    ],
    ['a failure', { status: 'failed', error: 7 }, { failure: { row: { effect: 'made' } } }],
    [
      'an abort before the start',
      { status: 'aborted' },
      { phase: 'cancelled', effect: 'not_begun' },
    ],
    ['an abort while it ran', { status: 'canceled' }, { phase: 'cancelled', effect: 'unknown' }],
    ['a new status', { status: 'thinking' }, { phase: 'waiting' }],
  ])('reads a prediction with %s', (_, parts, expected) => {
    expect(polled(parts)).toMatchObject(expected ?? {});
  });

  it('does not read a prediction without a URL for polls', () => {
    expect(polled({ urls: {} })).toBeUndefined();
  });
});

describe("the emulator of Replicate's predictions", () => {
  let upstream: TaskUpstream;
  beforeAll(async () => {
    upstream = await createTaskUpstream({ service: REPLICATE_UPSTREAM });
  });
  afterAll(() => upstream.close());

  it("is driven by Replicate's own client", async () => {
    const client = new Replicate({
      auth: upstream.key,
      baseUrl: upstream.url,
      fetch: (input, init) => {
        const headers = new Headers(init?.headers);
        headers.set('cancel-after', '60s');
        return fetch(input, { ...init, headers });
      },
    });
    const input = { prompt: 'A gull', num_outputs: 2 };

    const created = await client.predictions.create({ model: REPLICATE_UPSTREAM.model, input });
    const ended = await client.wait(created, { interval: 5 });

    expect(ended.status).toBe('succeeded');
    expect(ended.output).toHaveLength(2);
    expect(upstream.orders().at(-1)).toMatchObject({ prompt: 'A gull', count: 2 });
  });
});
