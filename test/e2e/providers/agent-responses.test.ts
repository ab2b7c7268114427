import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IS_SCALED } from '../../support/drivers.ts';
import {
  BEHAVIOUR_NAMES,
  type BehaviourName,
} from '../../support/responses-upstream/behaviours/behaviours.ts';
import { cleanUp } from '../../support/start-bridge.ts';
import { UPSTREAM_TEXT } from '../../support/upstream/upstream-text.ts';
import { EXPECTED_REPLIES, type ExpectedReply } from './agent-responses-replies.ts';
import { type AgentBridge, startAgentBridge } from './agent-responses-rig.ts';

// The smallest size that the emulator generates exactly.
const IMAGE_BYTES = 30_000;
/** A part of every prompt. Tests search for it. */
const SECRET = 'zebra-lantern';

let rig: AgentBridge;
/** Every token that was ever valid. */
const secrets = new Set<string>();

function noteSecrets(): void {
  for (const token of Object.values(rig.upstream.tokens())) secrets.add(token);
}

beforeAll(async () => {
  rig = await startAgentBridge({
    imageBytes: IMAGE_BYTES,
    set: [
      // Small images have low limits, so an endless reply ends soon.
      'images.max_encoded_bytes=2097152',
      'server.metrics.enabled=true',
      // The lengths of the images show that they are those of the backend.
      'provenance.mark=never',
    ],
  });
  secrets.add(rig.upstream.accountId).add(rig.home);
  noteSecrets();
});
afterAll(async () => {
  await cleanUp();
  await rig.close();
});

const promptOf = (behaviour: string) => `A ${SECRET} at dusk [[fail:${behaviour}]]`;

describe('a reply of the backend', () => {
  it('has a row in the table of expected replies for every behaviour of the emulator', () => {
    expect(Object.keys(EXPECTED_REPLIES).sort()).toEqual([...BEHAVIOUR_NAMES].sort());
  });

  it.each(BEHAVIOUR_NAMES)('with the behaviour %s becomes the required reply', async (name) => {
    const expected = EXPECTED_REPLIES[name];
    const before = rig.upstream.calls.length;

    const reply = await rig.create({
      prompt: promptOf(name),
      parameters: { size: '1024x1024', partial_images: name.startsWith('partial=') ? 1 : 0 },
      ...(expected.timeoutMs === undefined ? {} : { timeout_ms: expected.timeoutMs }),
    });

    noteSecrets();
    if (reply.status === 200) expectImage(reply.json, expected);
    else expectFailure(reply, expected);
    expect(reply.status).toBe(expected.status);
    const calls = rig.upstream.calls.slice(before);
    expect(calls.map(({ behaviour }) => behaviour)).toEqual(Array(expected.calls).fill(name));
    expect(rig.upstream.unrouted).toEqual([]);
    // The connection of a reply that was not read completely was closed.
    await rig.upstream.until(() => rig.upstream.counters().open === 0);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: the checker of the rig has checked it against the document.
function expectImage(json: any, { warnings }: ExpectedReply): void {
  expect(json).toMatchObject({ provider: 'agent-responses', warnings });
  expect(json.data).toHaveLength(1);
  const bytes = Buffer.from(json.data[0].b64_json, 'base64');
  // A warning reports that the image differs from the request.
  if (warnings?.length === 0) expect(bytes).toHaveLength(IMAGE_BYTES);
}

function expectFailure(
  { headers, json }: Awaited<ReturnType<AgentBridge['create']>>,
  { error = ['', '', ''], retryable = false, details, attempts }: ExpectedReply,
): void {
  const [type, code, bridgeCode] = error;
  expect(json.error).toMatchObject({ type, code, param: null });
  expect(json.error.bridge_ext).toMatchObject({
    code: bridgeCode,
    retryable,
    provider: 'agent-responses',
  });
  expect(json.error.bridge_ext.details).toEqual({
    ...details,
    ...(attempts === undefined ? {} : { provider_attempts: attempts }),
  });
  expect(headers['x-should-retry']).toBe(String(retryable));
  expect(JSON.stringify(json)).not.toContain(UPSTREAM_TEXT);
  expect(headers['retry-after'] === undefined).toBe(bridgeCode !== 'rate_limited');
}

/** Behaviours after which the second attempt succeeds. */
const TRANSIENT = Object.entries(EXPECTED_REPLIES).flatMap(([name, { attempts }]) =>
  attempts === 2 ? [name] : [],
);

describe('a call with a transient failure', () => {
  it.each(TRANSIENT)('is retried once after %s, and the reply reports it', async (name) => {
    const [{ status, json }, calls] = await rig.callsDuring(() =>
      rig.create({ prompt: promptOf(`${name};succeed`) }),
    );

    expect(status).toBe(200);
    expect(json.warnings).toEqual(['transient_provider_retry_used']);
    expect(calls).toBe(2);
  });

  it('is not retried after the deadline', async () => {
    const [{ status, json }, calls] = await rig.callsDuring(() =>
      rig.create({ prompt: promptOf('status=429,retry-after=1;succeed;succeed'), timeout_ms: 900 }),
    );

    expect(status).toBe(429);
    expect(json.error.bridge_ext).toMatchObject({
      retryable: true,
      details: { retry_after_ms: 1000, provider_attempts: 1 },
    });
    expect(calls).toBe(1);
  });
});

describe('images of the backend', () => {
  it.each([1, 4, 20])(
    'are generated by %i calls, one for each image, in the order of the request',
    async (n) => {
      const [{ status, json }, calls] = await rig.callsDuring(() =>
        rig.create({ prompt: `${n} of a ${SECRET}`, parameters: { n, size: '1024x1024' } }),
      );

      expect(status).toBe(200);
      expect(json.data.map(({ index }: { index: number }) => index)).toEqual([...Array(n).keys()]);
      expect(new Set(json.data.map(({ sha256 }: { sha256: string }) => sha256)).size).toBe(n);
      expect(json.warnings).toEqual([]);
      expect(json.usage).toEqual({
        input_tokens: 60 * n,
        output_tokens: 40 * n,
        total_tokens: 100 * n,
        provider: { input_tokens: 60 * n, output_tokens: 1056 * n, total_tokens: 1116 * n },
      });
      expect(calls).toBe(n);
    },
  );

  it('have the revised prompt of the backend', async () => {
    const { json } = await rig.create({ prompt: `A ${SECRET}` });

    expect(json.revised_prompt).toMatch(/^Soft colours/);
    expect(json.data[0].revised_prompt).toBe(json.revised_prompt);
  });

  it.each(['png', 'jpeg', 'webp'])('have the format %s on request', async (format) => {
    const { json } = await rig.create({
      prompt: `A ${SECRET}`,
      parameters: { output_format: format, size: '1536x1024' },
    });

    const image = sharp(Buffer.from(json.data[0].b64_json, 'base64'));
    expect(await image.metadata()).toMatchObject({ format, width: 1536, height: 1024 });
    expect(json.delivered).toEqual([
      { index: 0, size: 'honoured', format: 'honoured', alpha: 'unspecified' },
    ]);
  });

  it('have alpha from a model that supports transparency', async () => {
    const { json } = await rig.create({
      prompt: `A ${SECRET}`,
      routing: { model: 'gpt-image-1.5' },
      parameters: { background: 'transparent' },
    });

    expect(json.delivered).toMatchObject([{ alpha: 'honoured' }]);
    const stats = await sharp(Buffer.from(json.data[0].b64_json, 'base64')).stats();
    expect(stats.isOpaque).toBe(false);
  });

  it.each(['artifact', 'url'])('are stored as files when %s is requested', async (form) => {
    const { json } = await rig.create({
      prompt: `A ${SECRET}`,
      output: { response_format: form },
    });

    const [{ id, sha256 }] = json.data;
    const response = await fetch(`${rig.bridge.address}/v1/artifacts/${id}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes).toHaveLength(IMAGE_BYTES);
    expect(response.headers.get('etag')).toBe(`"${sha256}"`);
  });

  it('are edited from photographs that arrive with unchanged bytes', async () => {
    const photos = ['chelsea.png', 'rocket.jpg', 'coffee.png'].map((name) =>
      readFileSync(new URL(`../../data/photos/${name}`, import.meta.url)),
    );
    const [first, second, reference] = photos.map((bytes) => ({
      type: 'base64',
      data: bytes.toString('base64'),
    }));

    const { status, json } = await rig.create({
      operation: 'edit',
      prompt: `Make it a ${SECRET}`,
      images: [first, second],
      reference_images: [reference],
      parameters: { action: 'edit', input_fidelity: 'high', n: 2 },
      routing: { model: 'gpt-image-1.5' },
    });

    expect(status).toBe(200);
    expect(json.data).toHaveLength(2);
    for (const { body } of rig.upstream.calls.slice(-2)) {
      const sent = JSON.parse(body?.toString() ?? '');
      const [text, ...images] = sent.input[0].content;
      expect(text.text).toContain('Images 1 to 2 are to be edited. Image 3 is for reference');
      const arrived = images.map(({ image_url }: { image_url: string }) =>
        Buffer.from(image_url.split(',')[1] ?? '', 'base64'),
      );
      expect(arrived.map((bytes: Buffer, at: number) => bytes.equals(photos[at] ?? bytes))).toEqual(
        [true, true, true],
      );
    }
  });

  it('are delivered under best_effort even if other images fail', async () => {
    rig.upstream.script('succeed', 'status=403', 'truncated=item', 'succeed');

    const { status, json } = await rig.create({
      prompt: `Four of a ${SECRET}`,
      parameters: { n: 4, failure_policy: 'best_effort' },
    });

    expect(status).toBe(200);
    expect(json.data).toHaveLength(2);
    expect(json.warnings).toEqual(['partial_output_failure']);
    const failures: { error: { code: string; details: object } }[] = json.failures;
    expect(failures.map(({ error }) => [error.code, error.details]).sort()).toEqual([
      ['permission_denied', { provider_attempts: 1 }],
      ['protocol', { provider_attempts: 1, outcome: 'unknown', reason: 'stream_ended_early' }],
    ]);
  });

  it('are no longer generated after one of them has failed', async () => {
    // It fails after the other images are finished.
    rig.upstream.script(
      'silence=generating',
      { behaviour: 'status=403', delayMs: 300 },
      'silence=before-headers',
    );

    const [{ status, json }, calls] = await rig.callsDuring(() =>
      rig.create({ prompt: `Three of a ${SECRET}`, parameters: { n: 3 } }),
    );

    expect(status).toBe(403);
    expect(json.error.bridge_ext).toMatchObject({
      code: 'permission_denied',
      retryable: false,
      details: { outcome: 'unknown' },
    });
    expect(calls).toBe(3);
    await rig.upstream.until(() => rig.upstream.counters().open === 0);
  });
});

describe('a client that disconnects', () => {
  it.each<BehaviourName>(['silence=before-headers', 'silence=generating', 'silence=line'])(
    'closes the connection to the backend during %s',
    async (name) => {
      const client = new AbortController();
      const { upstream } = rig;
      const nth = upstream.calls.length;
      const reply = rig
        .create({ prompt: promptOf(name) }, client.signal)
        .catch(() => 'disconnected');
      await upstream.until(() => upstream.calls[nth]?.behaviour === name);

      client.abort();

      expect(await reply).toBe('disconnected');
      await upstream.until(() => upstream.calls[nth]?.outcome === 'client_disconnected');
      expect(upstream.calls).toHaveLength(nth + 1);
    },
  );
});

describe('a login', () => {
  it('is renewed once when the backend rejects it, without an error for the client', async () => {
    const { upstream } = rig;
    const before = upstream.counters();
    upstream.revokeAccessToken();

    const { status, json } = await rig.create({ prompt: `A ${SECRET}` });

    noteSecrets();
    const after = upstream.counters();
    expect(status).toBe(200);
    expect(json.warnings).toEqual([]);
    expect(after.calls - before.calls).toBe(2);
    expect(after.refreshes - before.refreshes).toBe(1);
    expect(JSON.parse(readFileSync(join(rig.home, 'auth.json'), 'utf8')).tokens).toMatchObject({
      ...upstream.tokens(),
    });
  });

  it('that cannot be renewed is an authentication error, and is not renewed again until it changes', async () => {
    const { upstream } = rig;
    upstream.expireAccessToken();
    upstream.spoilRefreshToken('expired');
    await upstream.writeLogin(rig.home);
    noteSecrets();
    const before = upstream.counters();

    const replies = [];
    for (let time = 0; time < 3; time += 1) {
      replies.push(await rig.create({ prompt: `A ${SECRET}` }));
    }
    const after = upstream.counters();
    upstream.signInAgain();
    await upstream.writeLogin(rig.home);
    noteSecrets();
    const { status } = await rig.create({ prompt: `A ${SECRET}` });

    for (const reply of replies) expect(reply.status).toBe(503);
    expect(replies[0]?.json.error).toMatchObject({
      code: 'provider_authentication',
      bridge_ext: { code: 'authentication', retryable: false, details: { provider_attempts: 1 } },
    });
    expect(after.calls - before.calls).toBe(0);
    expect(after.refreshCalls - before.refreshCalls).toBe(1);
    expect(status).toBe(200);
  });

  it('is renewed by the next request after a transient failure of the token endpoint', async () => {
    const { upstream } = rig;
    upstream.expireAccessToken();
    await upstream.writeLogin(rig.home);
    noteSecrets();
    upstream.scriptToken('status=503');

    const [failed, calls] = await rig.callsDuring(() => rig.create({ prompt: `A ${SECRET}` }));
    const { status } = await rig.create({ prompt: `A ${SECRET}` });

    noteSecrets();
    expect(failed.status).toBe(502);
    expect(failed.json.error.bridge_ext).toMatchObject({
      code: 'upstream',
      retryable: true,
      details: { provider_attempts: 1 },
    });
    expect(calls).toBe(0);
    expect(status).toBe(200);
  });
});

describe('the output and the files of the program', () => {
  it('contain no token, account, prompt or path, and no text of the backend', async () => {
    // The last probe may have found the login of an earlier test.
    await expect.poll(async () => (await rig.get('/health/ready')).status).toBe(200);
    const paths = ['/v1/providers', '/v1/diagnostics', '/metrics'];
    for (const path of paths) expect((await rig.get(path)).status).toBe(200);

    const traces = await rig.traces();

    if (!IS_SCALED) expect([...traces.keys()]).toContain('data/state/bridge.sqlite');
    expect(traces.get('standard error')).toContain('agent-responses');
    const sought = [...secrets, SECRET, UPSTREAM_TEXT, 'auth.json', 'text of the token endpoint'];
    const found = [...traces].flatMap(([where, text]) =>
      sought.filter((secret) => text.includes(secret)).map((secret) => `${where}: ${secret}`),
    );
    expect(found).toEqual([]);
  });
});
