import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import { createAdmission } from '../../../lib/admission/admission.ts';
import { createGeneration } from '../../../lib/generation/generation.ts';
import type { VerifiedEvent } from '../../../lib/generation/generation-events.ts';
import { createInputVerifier } from '../../../lib/inputs/verify-inputs.ts';
import { silentMetrics } from '../../../lib/metrics/metrics.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createProviderRegistry } from '../../../lib/providers/registry.ts';
import { createSessionLocks, createSessionTurns } from '../../../lib/sessions/sessions.ts';
import { openArtifactRig } from '../../lib/artifacts/artifact-rig.ts';
import { requestOf } from '../../lib/generation/requests.ts';
import { openAgentRig } from '../../lib/providers/agent-responses/agent-rig.ts';
import { openInputLoader } from '../../support/input-loader.ts';
import { newLedger } from '../../support/ledgers.ts';
import { noPrices } from '../../support/no-prices.ts';
import { NO_CREDENTIALS } from '../../support/provenance/no-credentials.ts';
import { requestContext } from '../../support/request-context.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Opens the whole pipeline in this process, with access to its events. */
async function openPipeline() {
  const agent = await openAgentRig({ set: ['runtime.circuit_breaker.enabled=false'] });
  const artifacts = await openArtifactRig();
  closing.push(agent.close, artifacts.close);
  const { config, engine, provider, upstream } = agent;
  const clock = systemClock;
  const { sessions: store } = artifacts.stores;
  const generation = createGeneration({
    credentials: NO_CREDENTIALS,
    sessions: createSessionTurns({ store, locks: createSessionLocks() }),
    engine,
    clock,
    registry: createProviderRegistry([provider], provider.name),
    inputs: createInputVerifier({
      engine,
      loader: openInputLoader(),
      limits: { ...config.inputs, ...config.images },
    }),
    publisher: artifacts.publisher,
    admission: createAdmission({ runtime: config.runtime, clock }),
    metrics: silentMetrics,
    prices: noPrices,
    ids: artifacts.ids,
    settings: config.runtime,
  });

  /** Resolves with all events of one request and its outcome. */
  async function run(sent: object) {
    const { signal } = new AbortController();
    const context = { ...requestContext(), ledger: newLedger() };
    const running = generation.run(requestOf(sent), context, signal);
    const events: VerifiedEvent[] = [];
    for await (const event of running.events) events.push(event);
    const result = await running.result.catch((error: unknown) => error);
    return { events, result };
  }

  return { upstream, run };
}

/** Returns a short name of an event. */
function nameOf(event: VerifiedEvent): string {
  const index = event.index === undefined ? '' : ` ${event.index}`;
  return event.type === 'progress'
    ? `${event.stage}${index}`
    : `partial${index}.${event.partialIndex}`;
}

describe('the pipeline in front of agent-responses', () => {
  it('reports an image from its request to its publication', async () => {
    const { run } = await openPipeline();

    const { events } = await run({ parameters: { partial_images: 3 } });

    expect(events.map(nameOf).filter((name) => name !== 'queued')).toEqual([
      'preparing',
      'dispatched',
      'generating 0',
      'partial 0.0',
      'partial 0.1',
      'partial 0.2',
      'verifying 0',
      'publishing',
    ]);
  });

  it('sends partial images that are valid, each with the index of its output', async () => {
    const { run } = await openPipeline();

    const { events } = await run({ parameters: { n: 4, partial_images: 2, size: '1536x1024' } });

    const partials = events.filter((event) => event.type === 'partial_image');
    expect(partials.map(nameOf).sort()).toEqual(
      [0, 1, 2, 3].flatMap((index) => [`partial ${index}.0`, `partial ${index}.1`]),
    );
    for (const { image } of partials) {
      expect(await sharp(image.bytes).metadata()).toMatchObject({ width: 1536, height: 1024 });
    }
  });

  it('sends the partial image of a call that fails afterwards, and does not repeat the call', async () => {
    const { run, upstream } = await openPipeline();
    upstream.setDefaultBehaviour('failed-after-partial');

    const { events, result } = await run({ parameters: { partial_images: 1 } });

    expect(events.map(nameOf)).toContain('partial 0.0');
    expect(result).toMatchObject({ code: 'upstream', details: { provider_attempts: 1 } });
    expect(upstream.calls).toHaveLength(1);
  });

  it('starts again with the events of a repeated call', async () => {
    const { run, upstream } = await openPipeline();
    upstream.script('failed=server_error', 'succeed');

    const { events, result } = await run({ parameters: { partial_images: 1 } });

    const names = events.map(nameOf);
    expect(names.filter((name) => name === 'dispatched')).toHaveLength(2);
    expect(names.filter((name) => name.startsWith('partial'))).toEqual(['partial 0.0']);
    expect(result).toMatchObject({
      response: { warnings: ['transient_provider_retry_used'] },
    });
  });
});
