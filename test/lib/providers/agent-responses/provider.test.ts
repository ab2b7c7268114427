import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ProviderEvent, ProviderRequest } from '../../../../lib/providers/provider-port.ts';
import { describeProvider } from '../../../contracts/provider-contract.ts';
import { readPhoto } from '../../images/photos.ts';
import { type AgentRig, openAgentRig } from './agent-rig.ts';
import { agentRequest, inputOf, someInputs } from './requests.ts';

describeProvider('agent-responses', async () => {
  const { provider, close } = await openAgentRig();
  return {
    provider,
    request: (indices) => agentRequest({ indices }),
    failing: agentRequest({ prompt: 'Anything [[fail:status=403]]' }),
    endless: agentRequest({ prompt: 'Anything [[fail:silence=before-headers]]' }),
    refused: agentRequest({ images: someInputs(3), references: someInputs(3) }),
    close,
  };
});

const rigs: AgentRig[] = [];

async function rigOf(options: Parameters<typeof openAgentRig>[0] = {}): Promise<AgentRig> {
  const rig = await openAgentRig(options);
  rigs.push(rig);
  return rig;
}

afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

function run({ provider }: AgentRig, request: ProviderRequest, signal?: AbortSignal) {
  const reported: ProviderEvent[] = [];
  const result = provider.execute(request, {
    requestId: 'a-request',
    attempt: 1,
    signal: signal ?? new AbortController().signal,
    onEvent: (event) => reported.push(event),
    accepted: async () => false,
    billedAs: () => {},
    remainingMs: () => 60_000,
  });
  return { result, reported };
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

describe('createAgentResponsesProvider', () => {
  it('creates a provider that describes itself by its settings', async () => {
    const { provider } = await rigOf({
      set: [
        'providers.agent_responses.models=["gpt-image-2", "mine"]',
        'providers.agent_responses.image_model=mine',
        'providers.agent_responses.max_outputs=20',
        'providers.agent_responses.max_parallel_outputs=4',
        'providers.agent_responses.max_transient_attempts=1',
        'providers.agent_responses.transient_backoff_ms=7',
      ],
    });

    expect(provider.describe()).toMatchObject({
      models: ['gpt-image-2', 'mine'],
      defaultModel: 'mine',
      experimental: false,
    });
    expect(provider.retry).toEqual({ attempts: 1, backoffMs: 7 });
    expect(provider.capabilities('mine')).toMatchObject({
      model: 'mine',
      count: { min: 1, max: 20 },
      batching: { max_parallel_outputs: 4 },
    });
    expect(provider.capabilities('gpt-image-1')).toBeUndefined();
  });

  it('starts all outputs in parallel by default', async () => {
    const { provider } = await rigOf({ set: ['providers.agent_responses.max_outputs=20'] });

    expect(provider.capabilities('gpt-image-2')?.batching.max_parallel_outputs).toBe(20);
  });

  it('sends requests with photographs that a strict backend accepts', async () => {
    const rig = await rigOf();

    const { outputs } = await run(
      rig,
      agentRequest({
        model: 'gpt-image-1.5',
        images: [inputOf(readPhoto('chelsea.png')), inputOf(readPhoto('rocket.jpg'), 'image/jpeg')],
        references: [inputOf(readPhoto('coffee.png'))],
        parameters: {
          size: '1536x1024',
          quality: 'high',
          output_format: 'webp',
          output_compression: 60,
          background: 'transparent',
          moderation: 'low',
          partial_images: 2,
          action: 'edit',
          input_fidelity: 'high',
        },
      }),
    ).result;

    expect(outputs).toHaveLength(1);
    expect(rig.upstream.calls).toMatchObject([{ outcome: 'replied' }]);
  });

  it('reports events in order: dispatched, generating, partial images', async () => {
    const { reported, result } = run(
      await rigOf(),
      agentRequest({ indices: [5], parameters: { partial_images: 2 } }),
    );

    await result;

    expect(reported).toMatchObject([
      { type: 'progress', stage: 'dispatched' },
      { type: 'progress', stage: 'generating', index: 5 },
      { type: 'partial_image', index: 5, partialIndex: 0 },
      { type: 'partial_image', index: 5, partialIndex: 1 },
    ]);
  });

  it.each([
    ['six images', Array.from({ length: 6 }, () => inputOf(Buffer.from('x')))],
    ['too many bytes', Array.from({ length: 3 }, () => inputOf(Buffer.alloc(24_000_000)))],
  ])('rejects images that together exceed the limits of the backend: %s', async (_name, inputs) => {
    const rig = await rigOf();
    const [first, ...others] = inputs;

    const error = await failureOf(
      run(rig, agentRequest({ images: first ? [first] : [], references: others })).result,
    );

    expect(error).toMatchObject({
      code: 'unsupported_capability',
      param: 'images',
      details: { field: 'images', max_count: 5, max_bytes_total: 67_108_864 },
    });
    expect(rig.upstream.calls).toEqual([]);
  });

  it('closes the connection as soon as the signal of the call aborts', async () => {
    const rig = await rigOf();
    const controller = new AbortController();
    const reason = new Error('given up');
    const silent = agentRequest({ prompt: 'Anything [[fail:silence=generating]]' });
    const { result } = run(rig, silent, controller.signal);
    await rig.upstream.until(() => rig.upstream.calls[0]?.behaviour !== undefined);

    controller.abort(reason);

    expect(await failureOf(result)).toBe(reason);
    await rig.upstream.until(() => rig.upstream.calls[0]?.outcome === 'client_disconnected');
  });

  it('renews a login that has expired before the call', async () => {
    const rig = await rigOf();
    rig.upstream.expireAccessToken();
    await rig.upstream.writeLogin(rig.home);

    const { outputs } = await run(rig, agentRequest()).result;

    expect(outputs).toHaveLength(1);
    expect(rig.upstream.counters()).toMatchObject({ calls: 1, refreshes: 1 });
  });

  it('renews a login that the backend has revoked and repeats the call once', async () => {
    const rig = await rigOf();
    rig.upstream.revokeAccessToken();

    const { outputs } = await run(rig, agentRequest()).result;

    expect(outputs).toHaveLength(1);
    expect(rig.upstream.counters()).toMatchObject({ calls: 2, refused: 1, refreshes: 1 });
  });

  it('writes a renewed login back before it closes', async () => {
    const rig = await rigOf();
    rig.upstream.expireAccessToken();
    await rig.upstream.writeLogin(rig.home);
    rig.upstream.scriptToken('slow');
    const ended = failureOf(run(rig, agentRequest()).result);
    await rig.upstream.until(() => rig.upstream.refreshes.length === 1);

    await rig.closeProviders();

    expect(await ended).toMatchObject({ code: 'cancelled' });
    const next = await rigOf();
    expect(await next.provider.probe(new AbortController().signal)).toEqual({ ready: true });
    expect(rig.upstream.counters()).toMatchObject({ calls: 0, refreshes: 1 });
  });
});

describe('the probe of agent-responses', () => {
  const probe = ({ provider }: AgentRig) => provider.probe(new AbortController().signal);

  it('reports ready with a readable login and makes no call', async () => {
    const rig = await rigOf();

    expect(await probe(rig)).toEqual({ ready: true });
    expect(rig.upstream.counters()).toMatchObject({ calls: 0, refreshCalls: 0, connections: 0 });
  });

  it.each([
    ['there is no login', (file: string) => rm(file)],
    ['others may change the login', (file: string) => chmod(file, 0o666)],
  ])('reports not ready if %s', async (_name, spoil) => {
    const rig = await rigOf();
    await spoil(join(rig.home, 'auth.json'));

    expect(await probe(rig)).toEqual({ ready: false, errorCode: 'authentication' });
  });
});
