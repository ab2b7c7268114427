import { afterEach, describe, expect, it } from 'vitest';
import type { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import type { ProviderEvent } from '../../../../lib/providers/provider-port.ts';
import { createManualClock } from './manual-clock.ts';
import { createSandboxRig, type SandboxRig } from './sandbox-rig.ts';

const rigs: SandboxRig[] = [];

function rigOf(options: Parameters<typeof createSandboxRig>[0] = {}): SandboxRig {
  const rig = createSandboxRig(options);
  rigs.push(rig);
  return rig;
}

afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

/** Returns an event as one word. */
function nameOf(event: ProviderEvent): string {
  return event.type === 'progress'
    ? `${event.stage}${event.index === undefined ? '' : ` ${event.index}`}`
    : `partial ${event.index}.${event.partialIndex}`;
}

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

describe('a sandbox call', () => {
  it('takes at least the configured latency', async () => {
    const manual = createManualClock();
    const { run } = rigOf({ latencyMs: 400, clock: manual.clock });

    await manual.until(run());

    expect(manual.clock.monotonicMs()).toBe(400);
  });

  it('reports partial images in order before the image', async () => {
    const { run, verified } = rigOf();

    const { events } = await run({
      indices: [3],
      parameters: { partial_images: 3, size: '256x128' },
    });

    expect(events.map(nameOf)).toEqual([
      'dispatched',
      'generating 3',
      'partial 3.0',
      'partial 3.1',
      'partial 3.2',
    ]);
    const partials = events.flatMap((event) => (event.type === 'partial_image' ? event.bytes : []));
    const images = await Promise.all(partials.map(verified));
    expect(images.map(({ width, height }) => [width, height])).toEqual([
      [32, 16],
      [64, 32],
      [128, 64],
    ]);
  });

  it('encodes partial images in the output format', async () => {
    const { run, verified } = rigOf();

    const { events } = await run({ parameters: { partial_images: 1, output_format: 'webp' } });

    const partial = events.find((event) => event.type === 'partial_image');
    expect(partial && (await verified(partial.bytes)).format).toBe('webp');
  });

  it('returns outputs in the order of their indices', async () => {
    const { run, draw } = rigOf();

    const { outputs } = await run({ indices: [4, 6, 9] });

    const alone = await Promise.all([4, 6, 9].map((index) => draw({ indices: [index] })));
    expect(outputs.map(({ bytes }) => bytes)).toEqual(alone.map(({ bytes }) => bytes));
  });

  it('rejects with the reason of the signal that aborts while it waits', async () => {
    const { run } = rigOf({ latencyMs: 3_600_000 });
    const reason = new Error('the client disconnected');
    const controller = new AbortController();

    const ended = failureOf(
      run(
        {},
        { signal: controller.signal, onEvent: () => setImmediate(() => controller.abort(reason)) },
      ),
    );

    expect(await ended).toBe(reason);
  });

  it('rejects with the reason of the signal that aborts while it draws', async () => {
    const { run, draw } = rigOf();
    const reason = new Error('the client disconnected');
    const controller = new AbortController();
    const onEvent = (event: ProviderEvent) => {
      if (nameOf(event).startsWith('generating')) setImmediate(() => controller.abort(reason));
    };

    const ended = await failureOf(
      run({ parameters: { size: '4096x4096' } }, { signal: controller.signal, onEvent }),
    );

    expect(ended).toBe(reason);
    expect((await draw()).width).toBe(96);
  });

  it('does not begin if its signal has already aborted', async () => {
    const { run } = rigOf();
    const reason = new Error('the client disconnected');
    const events: ProviderEvent[] = [];

    const ended = await failureOf(
      run({}, { signal: AbortSignal.abort(reason), onEvent: (event) => events.push(event) }),
    );

    expect(ended).toBe(reason);
    expect(events).toEqual([]);
  });

  it('ends when the sandbox closes', async () => {
    const { provider, run } = rigOf({ latencyMs: 3_600_000 });
    const ended = failureOf(run());

    await provider.close();

    expect(await ended).toMatchObject({ code: 'cancelled' });
  });

  it('is rejected for a model that the sandbox does not list', async () => {
    const { run, provider } = rigOf();

    const ended = await failureOf(run({ model: 'sandbox-nothing' }));

    expect(ended).toMatchObject({
      code: 'unsupported_capability',
      details: { supported_models: provider.describe().models },
    });
  });
});

describe('sandbox rehearsals', () => {
  it.each([
    ['authentication', { code: 'provider_authentication', retryable: false }],
    ['permission_denied', { code: 'permission_denied', retryable: false }],
    ['safety_rejected', { code: 'safety_rejected', retryable: false }],
    ['unsupported_capability', { code: 'unsupported_capability', retryable: false }],
    ['rate_limited', { code: 'rate_limited', retryable: true, details: { retry_after_ms: 1000 } }],
    ['overloaded', { code: 'overloaded', retryable: true, details: { retry_after_ms: 1000 } }],
    ['timeout', { code: 'timeout', retryable: false, details: { outcome: 'unknown' } }],
    ['upstream', { code: 'upstream', retryable: false, details: {} }],
    ['protocol', { code: 'protocol', retryable: false, details: {} }],
  ])('fails as a real provider does with %s', async (name, expected) => {
    const { run } = rigOf();

    const ended = await failureOf(run({ model: `sandbox-fail-${name}` }));

    expect(ended).toMatchObject(expected);
  });

  it('reports the details of a safety rejection', async () => {
    const { run } = rigOf();

    const ended = (await failureOf(
      run({ model: 'sandbox-fail-safety_rejected', parameters: { moderation: 'low' } }),
    )) as BridgeError;

    expect(ended.details).toEqual({
      safety_category: 'content_policy',
      recovery: 'revise_prompt_or_inputs',
      retry_same_request: false,
      requested_moderation: 'low',
      input_images_present: false,
      moderation_stage: 'input',
      moderation_categories: ['violence'],
    });
  });

  it('fails the first attempt of sandbox-flaky and draws on the second', async () => {
    const { run } = rigOf();

    const first = await failureOf(run({ model: 'sandbox-flaky' }));
    const second = await run({ model: 'sandbox-flaky' }, { attempt: 2 });

    expect(first).toMatchObject({
      code: 'upstream',
      retryable: true,
      transient: true,
    });
    expect(second.outputs).toHaveLength(1);
  });

  it('lets sandbox-slow take thirty seconds with progress events', async () => {
    const manual = createManualClock();
    const { run } = rigOf({ latencyMs: 400, clock: manual.clock });

    const { events, outputs } = await manual.until(run({ model: 'sandbox-slow' }));

    expect(manual.clock.monotonicMs()).toBe(30_000);
    expect(events.map(nameOf).filter((name) => name === 'generating')).toHaveLength(9);
    expect(outputs).toHaveLength(1);
  });

  it('lets sandbox-hang run until it is aborted', async () => {
    const { run } = rigOf();
    const reason = new Error('the client disconnected');
    const controller = new AbortController();
    const ended = failureOf(run({ model: 'sandbox-hang' }, { signal: controller.signal }));

    controller.abort(reason);

    expect(await ended).toBe(reason);
  });
});
