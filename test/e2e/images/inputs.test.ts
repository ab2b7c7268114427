import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Origin, startSecureOrigin } from '../../lib/net/origin.ts';
import { createReplyChecker } from '../../support/reply-checker.ts';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
  stateOf,
} from '../../support/start-bridge.ts';
import { TEST_CERTIFICATE } from '../../support/test-certificate.ts';
import { startAgentBridge } from '../providers/agent-responses-rig.ts';

afterAll(cleanUp);

const photo = fileURLToPath(new URL('../../data/photos/rocket.jpg', import.meta.url));
const PHOTO_EDGES = { width: 640, height: 427 };

const artifactEdit = (artifact_id: string) => ({
  operation: 'edit',
  prompt: 'the same in winter',
  images: [{ type: 'artifact', artifact_id }],
});
const remoteEdit = (url: string) => ({
  operation: 'edit',
  prompt: 'the same in winter',
  images: [{ type: 'url', url }],
});

/** Requests images and checks the reply against the OpenAPI document. */
async function create({ address }: StartedBridge, body: object, token?: string) {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${address}/v1/images`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization },
    body: JSON.stringify(body),
  });
  const json = JSON.parse(await response.text());
  const document = await fetch(`${address}/v1/openapi.json`, { headers: authorization });
  const checker = createReplyChecker(JSON.parse(await document.text()));
  const headers = Object.fromEntries(response.headers);
  checker.check({ method: 'POST', path: '/v1/images' }, response.status, headers, json);
  return { status: response.status, json };
}

const make = (bridge: StartedBridge, token?: string) =>
  create(
    bridge,
    {
      prompt: 'a lighthouse',
      parameters: { size: '320x192' },
      output: { response_format: 'artifact' },
    },
    token,
  );

describe('an artifact as input', () => {
  it('is edited by the sandbox at its size', async () => {
    const bridge = await startBridge();
    const made = await make(bridge);

    const { status, json } = await create(bridge, artifactEdit(made.json.data[0].id));

    expect(status).toBe(200);
    expect(json.data[0]).toMatchObject({ width: 320, height: 192 });
    expect(json.data[0].sha256).not.toBe(made.json.data[0].sha256);
  });

  it('reaches the remote backend byte for byte', async () => {
    const rig = await startAgentBridge({ keepsBodies: true });
    const made = await rig.create({
      prompt: 'a lighthouse',
      output: { response_format: 'artifact' },
    });
    const [{ id, name }] = made.json.data;

    const { status } = await rig.create(artifactEdit(id));

    expect(status).toBe(200);
    const sent = JSON.parse(rig.upstream.calls.at(-1)?.body?.toString() ?? '');
    const [, image] = sent.input[0].content;
    const arrived = Buffer.from(image.image_url.split(',')[1], 'base64');
    const published = await readFile(join(stateOf(rig.bridge.cwd).artifacts, name));
    expect(arrived.equals(published)).toBe(true);
    await rig.close();
  });

  it('is unknown to another token, like an unknown id', async () => {
    const cwd = await freshFolder();
    const begin = (token: string) =>
      startBridge({
        cwd,
        set: ['server.bearer_token_env=BRIDGE_TOKEN'],
        env: { BRIDGE_TOKEN: token },
      });
    const [mine, theirs] = ['the-first-token-of-all', 'another-token-for-all'];
    const first = await begin(mine);
    const made = await make(first, mine);
    const { id } = made.json.data[0];
    const own = await create(first, artifactEdit(id), mine);
    await first.end();
    const second = await begin(theirs);

    const foreign = await create(second, artifactEdit(id), theirs);
    const unknown = await create(second, artifactEdit('0'.repeat(32)), theirs);

    expect(own.status).toBe(200);
    expect(foreign.status).toBe(400);
    expect(foreign.json.error).toMatchObject({ code: 'invalid_image_input', param: 'images[0]' });
    expect(foreign.json.error).toEqual(unknown.json.error);
  });

  it('is an internal failure if its file was changed on disk, and reaches no provider', async () => {
    const bridge = await startBridge();
    const made = await make(bridge);
    const [{ id, name }] = made.json.data;
    const file = join(stateOf(bridge.cwd).artifacts, name);
    const bytes = await readFile(file);
    bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1;
    await writeFile(file, bytes);

    const { status, json } = await create(bridge, artifactEdit(id));

    expect(status).toBe(500);
    expect(json.error.code).toBe('artifact_error');
  });
});

describe('a remote image as input', () => {
  let origin: Origin;
  let authority: string;
  let bytes: Buffer;

  beforeAll(async () => {
    bytes = await readFile(photo);
    authority = join(await freshFolder(), 'authority.pem');
    await writeFile(authority, TEST_CERTIFICATE);
    origin = await startSecureOrigin((request, response) => {
      switch (request.url) {
        case '/rocket.jpg':
          return response.writeHead(200, { 'content-type': 'text/plain' }).end(bytes);
        case '/moved':
          return response.writeHead(302, { location: '/rocket.jpg' }).end();
        case '/away':
          return response.writeHead(302, { location: `https://127.0.0.1:${origin.port}/` }).end();
        case '/page':
          return response.writeHead(200, { 'content-type': 'image/png' }).end('<html>');
        default:
          return response.writeHead(404).end();
      }
    });
  });
  afterAll(() => origin.close());

  const begin = (...set: readonly string[]) =>
    startBridge({ set, env: { NODE_EXTRA_CA_CERTS: authority } });
  const enabled = () => [
    'inputs.remote.enabled=true',
    'inputs.remote.allowed_hosts=["LOCALHOST"]',
    `inputs.remote.allowed_ports=[${origin.port}]`,
  ];
  const at = (path: string, host = 'localhost') => `https://${host}:${origin.port}${path}`;

  it('is rejected if remote inputs are disabled', async () => {
    const bridge = await begin();

    const { status, json } = await create(bridge, remoteEdit(at('/rocket.jpg')));

    expect(status).toBe(422);
    expect(json.error.bridge_ext.details.issues).toEqual([
      expect.objectContaining({ field: 'images[0]', code: 'remote_inputs_disabled' }),
    ]);
  });

  it('is fetched from an allowed host, also after a redirect, and edited', async () => {
    const bridge = await begin(...enabled(), 'inputs.remote.allow_private_networks=true');

    for (const path of ['/rocket.jpg', '/moved']) {
      const { status, json } = await create(bridge, remoteEdit(at(path)));

      expect(status).toBe(200);
      expect(json.data[0]).toMatchObject(PHOTO_EDGES);
    }
  });

  it('is reported by its field and without its address if the image cannot be loaded', async () => {
    const bridge = await begin(...enabled(), 'inputs.remote.allow_private_networks=true');
    const reasons: [string, object][] = [
      [at('/away'), { reason: 'host_not_allowed' }],
      [at('/page'), { reason: 'unsupported_format' }],
      [at('/secret-path'), { reason: 'status_not_ok', status: 404 }],
      [at('/rocket.jpg', '127.0.0.1'), { reason: 'host_not_allowed' }],
      ['https://localhost:1/', { reason: 'port_not_allowed' }],
      ['http://localhost/', { reason: 'not_an_https_url' }],
    ];

    for (const [url, details] of reasons) {
      const { status, json } = await create(bridge, remoteEdit(url));

      expect([url, status]).toEqual([url, 400]);
      expect(json.error).toMatchObject({
        code: 'invalid_image_input',
        param: 'images[0].url',
        bridge_ext: { details: { field: 'images[0].url', ...details } },
      });
      expect(JSON.stringify(json)).not.toMatch(/localhost|127\.0\.0\.1|secret-path/);
    }
    await bridge.end();
    expect(bridge.stderr()).not.toMatch(/secret-path/);
  });

  it('is not fetched from this machine unless private networks are allowed', async () => {
    const bridge = await begin(...enabled());
    const before = origin.connections.length;

    const { status, json } = await create(bridge, remoteEdit(at('/rocket.jpg')));

    expect(status).toBe(400);
    expect(json.error.bridge_ext.details.reason).toBe('address_not_allowed');
    expect(origin.connections).toHaveLength(before);
  });

  it('is fetched once for all attempts of an edit', async () => {
    const bridge = await begin(...enabled(), 'inputs.remote.allow_private_networks=true');
    const before = origin.connections.length;

    const { status, json } = await create(bridge, {
      ...remoteEdit(at('/rocket.jpg')),
      parameters: { n: 2, size: '64x64' },
      routing: {
        model: 'sandbox-fail-upstream',
        fallbacks: [{ provider: 'sandbox', model: 'sandbox-image' }],
        fallback_policy: 'on_error',
      },
    });

    expect(status).toBe(200);
    expect(json.attempts).toHaveLength(2);
    expect(origin.connections).toHaveLength(before + 1);
  });
});
