import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { cleanUp } from '../../support/start-bridge.ts';
import { type AgentBridge, startAgentBridge } from './agent-responses-rig.ts';

const rigs: AgentBridge[] = [];

async function start(options: Parameters<typeof startAgentBridge>[0] = {}): Promise<AgentBridge> {
  const rig = await startAgentBridge({ imageBytes: 30_000, ...options });
  rigs.push(rig);
  return rig;
}

afterEach(async () => {
  await cleanUp();
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

describe('agent-responses with one attempt a call', () => {
  it('retries nothing, and still marks the failure as retryable for the client', async () => {
    const { create, upstream } = await start({
      set: ['providers.agent_responses.max_transient_attempts=1'],
    });

    const { status, json } = await create({ prompt: 'a fox [[fail:status=503]]' });

    expect(status).toBe(502);
    expect(json.error.bridge_ext).toMatchObject({
      retryable: true,
      details: { provider_attempts: 1 },
    });
    expect(upstream.calls).toHaveLength(1);
  });

  it('still renews a login that the backend rejects, and repeats that call', async () => {
    const { create, upstream } = await start({
      set: ['providers.agent_responses.max_transient_attempts=1'],
    });
    upstream.revokeAccessToken();

    const { status, json } = await create({ prompt: 'a fox' });

    expect(status).toBe(200);
    expect(json.warnings).toEqual([]);
    expect(upstream.counters()).toMatchObject({ calls: 2, refused: 1, refreshes: 1 });
  });
});

describe('agent-responses with models set by the operator', () => {
  it('requests these models from the backend', async () => {
    const { create, get, upstream } = await start({
      responsesModels: ['gpt-9'],
      moreImageModels: ['my-images'],
      set: [
        'providers.agent_responses.responses_model=gpt-9',
        'providers.agent_responses.models=["my-images", "gpt-image-1"]',
        'providers.agent_responses.image_model=my-images',
        'providers.agent_responses.max_outputs=7',
        'providers.agent_responses.max_parallel_outputs=2',
      ],
    });

    const { json } = await create({ prompt: 'a fox', parameters: { size: '3840x2160' } });
    const unknown = await create({ prompt: 'a fox', routing: { model: 'gpt-image-2' } });
    const document = await get('/v1/providers/agent-responses/capabilities');

    expect(json).toMatchObject({ model: 'my-images', data: [{ width: 3840, height: 2160 }] });
    const sent = upstream.calls[0]?.body?.toString() ?? '';
    expect(JSON.parse(sent)).toMatchObject({
      model: 'gpt-9',
      tools: [{ model: 'my-images' }],
    });
    expect(unknown.json.error.bridge_ext).toMatchObject({
      code: 'unsupported_capability',
      details: { supported_models: ['my-images', 'gpt-image-1'] },
    });
    expect(document.json).toMatchObject({
      model: 'my-images',
      count: { max: 7 },
      batching: { max_parallel_outputs: 2 },
    });
  });
});

describe('agent-responses under the limits of every request', () => {
  it('offers no more outputs and images than a request may have', async () => {
    const { create, get } = await start({
      set: ['runtime.request.max_outputs=3', 'runtime.request.max_inputs=2'],
    });

    const document = await get('/v1/providers/agent-responses/capabilities');
    const refused = await create({ prompt: 'a fox', parameters: { n: 4 } });

    expect(document.json).toMatchObject({
      count: { min: 1, max: 3 },
      edit_images: { max_count: 2 },
      reference_images: { max_count: 2 },
    });
    expect(refused).toMatchObject({ status: 422, json: { error: { param: 'parameters.n' } } });
  });
});

describe('agent-responses without a backend', () => {
  it('fails with a retryable error and a known outcome, after one call', async () => {
    const { create, upstream } = await start();
    await upstream.close();

    const { status, json } = await create({ prompt: 'a fox' });

    expect(status).toBe(502);
    expect(json.error).toMatchObject({ code: 'upstream_error' });
    expect(json.error.bridge_ext).toMatchObject({ code: 'upstream', retryable: true });
    expect(json.error.bridge_ext.details).toEqual({ provider_attempts: 1 });
  });
});

describe('agent-responses without a login', () => {
  it.each([
    ['there is none', (file: string) => rm(file)],
    ['others may write it', (file: string) => chmod(file, 0o622)],
  ])('reports the login without a call when %s', async (_name, spoil) => {
    const { create, home, upstream } = await start();
    await spoil(join(home, 'auth.json'));

    const { status, json } = await create({ prompt: 'a fox' });

    expect(status).toBe(503);
    expect(json.error).toMatchObject({
      code: 'provider_authentication',
      bridge_ext: { code: 'authentication', retryable: false },
    });
    expect(JSON.stringify(json)).not.toContain(home);
    expect(upstream.counters()).toMatchObject({ calls: 0, refreshCalls: 0 });
  });
});
