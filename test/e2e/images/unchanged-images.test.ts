import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Provenance } from '../../../lib/contract/reply/provenance.ts';
import { parseEventText } from '../../support/event-text.ts';
import { trialCertificates } from '../../support/provenance/certificates.ts';
import { createProviderSigner, sampleImage } from '../../support/provenance/signed-images.ts';
import { cleanUp, type StartedBridge, startBridge } from '../../support/start-bridge.ts';
import { startReceiver, webhookSettings } from '../jobs/webhook-receiver.ts';
import { startImageService } from './image-service.ts';

const KEPT: Provenance = { found: 'present', credentials: 'kept', mark: 'none' };

let signed: Buffer;
let service: Awaited<ReturnType<typeof startImageService>>;
let bridge: StartedBridge;
let receiver: Awaited<ReturnType<typeof startReceiver>>;

beforeAll(async () => {
  const signer = createProviderSigner(trialCertificates({ organisation: 'Provider of Tests' }));
  signed = await signer.sign(await sampleImage('png', 64), 'png').finally(signer.close);
  service = await startImageService(() => signed);
  receiver = await startReceiver();
  const hooks = webhookSettings(receiver.host);
  bridge = await startBridge({
    command: 'serve',
    env: { ...service.env, ...hooks.env },
    set: [...service.set, 'server.mcp.enabled=true', ...hooks.set],
  });
});
afterAll(async () => {
  await cleanUp();
  await receiver.kill();
  service.close();
});

interface Image {
  readonly id: string;
  readonly b64_json: string;
  readonly provenance: Provenance;
}

async function send(path: string, body: object): Promise<string> {
  const reply = await fetch(bridge.address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'a fox', ...body }),
  });
  const text = await reply.text();
  expect({ path, status: reply.status }).toEqual({ path, status: path === '/v1/jobs' ? 202 : 200 });
  return text;
}

async function post<T>(path: string, body: object): Promise<T> {
  return JSON.parse(await send(path, body)) as T;
}

const fromBase64 = ({ b64_json }: Pick<Image, 'b64_json'>) => Buffer.from(b64_json, 'base64');

async function download(id: string, query = ''): Promise<Buffer> {
  const reply = await fetch(`${bridge.address}/v1/artifacts/${id}${query}`);
  expect(reply.status).toBe(200);
  return Buffer.from(await reply.arrayBuffer());
}

function first<T>(items: readonly T[]): T {
  const [item] = items;
  return item ?? expect.fail('no image');
}

interface Job {
  readonly status: string;
  readonly result: { readonly data: readonly Image[] };
}

async function runJob(body: object): Promise<Image> {
  const { id } = await post<{ readonly id: string }>('/v1/jobs', body);
  const read = async () => (await (await fetch(`${bridge.address}/v1/jobs/${id}`)).json()) as Job;
  await expect.poll(read, { timeout: 20_000 }).toMatchObject({ status: 'succeeded' });
  return first((await read()).result.data);
}

/** Each route, and the image that it delivers with the facts that it states. */
const ROUTES: readonly [string, () => Promise<{ bytes: Buffer; facts?: Provenance }>][] = [
  [
    'a reply',
    async () => {
      const image = first((await post<{ data: Image[] }>('/v1/images', {})).data);
      return { bytes: fromBase64(image), facts: image.provenance };
    },
  ],
  [
    'a stream',
    async () => {
      const { events } = parseEventText(await send('/v1/images/stream', {}));
      const image: Image = first(events.at(-1)?.data.response.data);
      return { bytes: fromBase64(image), facts: image.provenance };
    },
  ],
  [
    'an artifact with a sidecar, and its download in the dashboard',
    async () => {
      const output = { response_format: 'artifact', metadata: 'sidecar' };
      const image = first((await post<{ data: Image[] }>('/v1/images', { output })).data);
      expect((await download(image.id, '?download=true')).equals(signed)).toBe(true);
      return { bytes: await download(image.id), facts: image.provenance };
    },
  ],
  [
    'a job',
    async () => {
      const { id, provenance } = await runJob({});
      return { bytes: await download(id), facts: provenance };
    },
  ],
  [
    'a webhook',
    async () => {
      receiver.received.splice(0);
      await runJob({ webhook: { url: receiver.url } });
      await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(1);
      const image = first(first(receiver.received).data.result?.data ?? []);
      if (image.type !== 'artifact' || image.provenance === undefined) expect.fail(image.type);
      return { bytes: await download(image.id), facts: image.provenance };
    },
  ],
  [
    'the OpenAI-compatible route',
    async () => {
      interface Reply {
        readonly data: readonly Image[];
        readonly bridge_ext: { readonly provenance: readonly Provenance[] };
      }
      const { data, bridge_ext } = await post<Reply>('/v1/images/generations', {});
      return { bytes: fromBase64(first(data)), facts: first(bridge_ext.provenance) };
    },
  ],
  [
    'a stream of the OpenAI-compatible route',
    async () => {
      const { events } = parseEventText(await send('/v1/images/generations', { stream: true }));
      const { data } = first(events.filter(({ name }) => name.endsWith('completed')));
      return { bytes: fromBase64(data), facts: data.bridge_ext.provenance };
    },
  ],
  [
    'a tool for agents',
    async () => {
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${bridge.address}/mcp`)));
      const sent = { name: 'generate_image', arguments: { prompt: 'a fox' } };
      const { content } = await client.callTool(sent).finally(() => client.close());
      const link = content.find(({ type }) => type === 'resource_link');
      if (link?.type !== 'resource_link') expect.fail('no link');
      expect(JSON.stringify(content)).toContain('Credentials (C2PA): kept, found: present.');
      return { bytes: await download(link.uri.split('/').at(-1) ?? '') };
    },
  ],
];

describe('an unchanged image with credentials', () => {
  it.each(ROUTES)('has the bytes of the provider in %s', async (_, deliver) => {
    const { bytes, facts = KEPT } = await deliver();

    expect(bytes.equals(signed)).toBe(true);
    expect(facts).toEqual(KEPT);
  });

  it('is checked on request, with its recorded facts and its signer', async () => {
    const { id } = await runJob({});

    const reply = await fetch(`${bridge.address}/v1/artifacts/${id}/credentials`);

    expect(await reply.json()).toMatchObject({
      provenance: KEPT,
      state: 'valid',
      manifest: { signer: 'Provider of Tests', actions: [{ action: 'c2pa.created' }] },
    });
  });

  it('has its credentials in the list of jobs', async () => {
    const { id } = await runJob({});

    const reply = await fetch(`${bridge.address}/v1/jobs?limit=1`);

    expect(await reply.json()).toMatchObject({
      items: [{ artifacts: [{ id, provenance: { found: 'present', credentials: 'kept' } }] }],
    });
  });

  it('has its manifest as a file of its own', async () => {
    const { id } = await runJob({});

    const reply = await fetch(`${bridge.address}/v1/artifacts/${id}/manifest`);
    const store = Buffer.from(await reply.arrayBuffer());

    expect(reply.headers.get('content-type')).toBe('application/c2pa');
    expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename=".+\.c2pa"$/);
    expect(store.length).toBeGreaterThan(1000);
    expect(signed.includes(store)).toBe(true);
  });
});
