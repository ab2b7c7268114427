import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstImage } from '../../support/create-image.ts';
import {
  BEHAVIOUR_NAMES,
  type BehaviourName,
} from '../../support/images-upstream/behaviours/behaviours.ts';
import { cleanUp } from '../../support/start-bridge.ts';
import { UPSTREAM_TEXT } from '../../support/upstream/upstream-text.ts';
import { EXPECTED_REPLIES, type ExpectedReply } from './openai-images-replies.ts';
import { type ImagesBridge, PROVIDER, type Reply, startImagesBridge } from './openai-images-rig.ts';

// The smallest size that the emulator generates exactly.
const IMAGE_BYTES = 30_000;
/** A part of every prompt. Tests search for it. */
const SECRET = 'zebra-lantern';

let rig: ImagesBridge;

beforeAll(async () => {
  rig = await startImagesBridge({
    imageBytes: IMAGE_BYTES,
    // Small images have low limits, so an endless reply ends soon.
    set: ['images.max_encoded_bytes=2097152', 'server.metrics.enabled=true'],
  });
});
afterAll(async () => {
  await cleanUp();
  await rig.close();
});

/** Returns true for behaviours that occur only in a stream. */
const isOfStream = (name: string) => /^(stream=|wire=(crlf|cr|no-|many|bom|done))/.test(name);

describe('a reply of the images API', () => {
  it('has a row in the table of expected replies for every behaviour of the emulator', () => {
    expect(Object.keys(EXPECTED_REPLIES).sort()).toEqual([...BEHAVIOUR_NAMES].sort());
  });

  it.each(BEHAVIOUR_NAMES)('becomes the required reply with %s', async (name) => {
    const expected = EXPECTED_REPLIES[name];
    const before = rig.upstream.calls.length;

    const reply = await create(name, expected);

    if (reply.status === 200) expectImage(reply, expected);
    else expectFailure(reply, expected);
    expect(reply.status).toBe(expected.status);
    const calls = rig.upstream.calls.slice(before);
    expect(calls.map(({ behaviour }) => behaviour)).toEqual(Array(expected.calls).fill(name));
    expect(rig.upstream.unrouted).toEqual([]);
    // The connection of a reply that was not read completely was closed.
    await rig.upstream.until(() => rig.upstream.counters().open === 0);
  });

  it('is never requested again if images were or may have been generated', () => {
    const repeated = BEHAVIOUR_NAMES.filter((name) => EXPECTED_REPLIES[name].calls > 1);

    for (const name of repeated) {
      expect(EXPECTED_REPLIES[name].details).not.toHaveProperty('outcome');
      expect(name).toMatch(/^(status=(409|429|500|503)|body=(error|rate-limit)$|stream=error-at)/);
    }
  });

  it('is requested again after a transient failure, and the reply reports it', async () => {
    const { status, json } = await rig.create({
      prompt: `A ${SECRET} [[fail:status=503;succeed]]`,
    });

    expect(status).toBe(200);
    expect(json.warnings).toEqual(['transient_provider_retry_used']);
  });
});

function create(name: BehaviourName, { timeoutMs }: ExpectedReply): Promise<Reply> {
  return rig.create({
    prompt: `A ${SECRET} at dusk [[fail:${name}]]`,
    parameters: { size: '1024x1024', partial_images: isOfStream(name) ? 1 : 0 },
    ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
  });
}

function expectImage(reply: Reply, { warnings }: ExpectedReply): void {
  expect(reply.json).toMatchObject({ provider: PROVIDER, warnings });
  expect(reply.json.data).toHaveLength(1);
  // A warning reports that the image differs from the request.
  if (warnings?.length === 0) expect(firstImage(reply).length).toBeGreaterThan(1000);
}

function expectFailure({ headers, json }: Reply, expected: ExpectedReply): void {
  const { code, param = null, retryable, details } = expected;
  expect(json.error.param).toBe(param);
  expect(json.error.bridge_ext).toMatchObject({ code, retryable, provider: PROVIDER });
  expect(json.error.bridge_ext.details).toEqual(details);
  expect(headers['x-should-retry']).toBe(String(retryable));
  expect(JSON.stringify(json)).not.toContain(UPSTREAM_TEXT);
}

describe('the program', () => {
  it('writes neither the key nor a prompt nor a text of the server', async () => {
    const { address, stdout, stderr } = rig.bridge;
    const pages = ['/metrics', '/v1/diagnostics', '/v1/providers', '/v1/models'];
    const texts = await Promise.all(
      pages.map(async (path) => (await fetch(address + path)).text()),
    );

    for (const text of [stdout(), stderr(), ...texts]) {
      for (const secret of [rig.upstream.key() ?? '', SECRET, UPSTREAM_TEXT, rig.upstream.origin]) {
        expect(text).not.toContain(secret);
      }
    }
  });
});
