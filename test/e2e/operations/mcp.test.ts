import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { IS_SCALED } from '../../support/drivers.ts';
import { INITIALIZE } from '../../support/mcp-initialize.ts';
import { createReplyChecker } from '../../support/reply-checker.ts';
import {
  cleanUp,
  freshFolder,
  PROGRAM,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';

const TOKEN = 'a-token-for-agents';
const SERVED = ['server.mcp.enabled=true', 'server.bearer_token_env=TOKEN'];
const clients: Client[] = [];

let bridge: StartedBridge;
beforeAll(async () => {
  bridge = await startBridge({ set: SERVED, env: { TOKEN } });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});
afterAll(cleanUp);

type Mode = NonNullable<ConstructorParameters<typeof Client>[1]>['versionNegotiation'];
const REVISIONS: readonly [string, Mode][] = [
  ['2025-11-25', { mode: 'legacy' }],
  ['2026-07-28', { mode: 'auto' }],
];

function newClient(versionNegotiation: Mode): Client {
  const client = new Client(
    { name: 'test', version: '1' },
    versionNegotiation && { versionNegotiation },
  );
  clients.push(client);
  return client;
}

async function connectHttp(mode: Mode, token = TOKEN, { address } = bridge): Promise<Client> {
  const client = newClient(mode);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit }),
  );
  return client;
}

async function connectStdio(
  mode: Mode,
  {
    cwd,
    args = [],
    env = {},
  }: {
    readonly cwd: string;
    readonly args?: readonly string[];
    readonly env?: Record<string, string>;
  },
): Promise<Client> {
  const client = newClient(mode);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'mcp', ...args],
      cwd,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stderr: 'ignore',
    }),
  );
  return client;
}

type Arguments = Readonly<Record<string, unknown>>;

async function call(client: Client, name: string, args: Arguments = {}): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: args })) as CallToolResult;
}

function textOf({ content }: CallToolResult): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Tools and arguments with one invalid argument each, and its issue. The service finds the last of these issues. */
const WRONG_ARGUMENTS: readonly [string, Arguments, string, string][] = [
  ['generate_image', { prompt: 'A fox', colour: 'red' }, 'colour', 'unknown_field'],
  ['generate_image', { prompt: 7 }, 'prompt', 'invalid_type'],
  ['generate_image', { prompt: 'A fox', n: 0 }, 'n', 'out_of_range'],
  ['generate_image', {}, 'prompt', 'required'],
  ['edit_image', { prompt: 'A fox', images: ['x', 7] }, 'images[1]', 'invalid_type'],
  ['get_job', { id: 'x', wait_seconds: 100 }, 'wait_seconds', 'out_of_range'],
  ['crop_image', { image: '0'.repeat(32), x: -1, y: 0, width: 1, height: 1 }, 'x', 'out_of_range'],
  ['plan_image', { prompt: '' }, 'prompt', 'blank'],
];

/** Returns the preview of the first image of a result. */
function previewOf({ content }: CallToolResult): { mimeType: string | undefined; bytes: Buffer } {
  const preview = content.find((part) => part.type === 'image');
  return { mimeType: preview?.mimeType, bytes: Buffer.from(preview?.data ?? '', 'base64') };
}

/** Returns the id of the first image in a result. */
function imageOf(result: CallToolResult): string {
  return /Image ([0-9a-f]{32})/.exec(textOf(result))?.[1] ?? '';
}

const jobOf = (result: CallToolResult) => /Job ([0-9a-f-]{36})/.exec(textOf(result))?.[1] ?? '';

/** Calls every tool, like an agent that generates an image and continues to work with it. */
async function useEveryTool(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([
    'cancel_job',
    'crop_image',
    'edit_image',
    'generate_image',
    'get_job',
    'list_jobs',
    'list_models',
    'plan_image',
  ]);
  expect(textOf(await call(client, 'list_models'))).toContain('sandbox-image (the default)');
  expect(textOf(await call(client, 'plan_image', { prompt: 'A fox' }))).toMatch(
    /^Chosen: .* 1 call/,
  );

  const made = await call(client, 'generate_image', { prompt: 'A fox', size: '1024x1536' });
  expect(made.isError).toBeFalsy();
  expect(textOf(made)).toContain('1024x1536 png');
  const { mimeType, bytes } = previewOf(made);
  expect(mimeType).toBe('image/webp');
  expect(bytes.length).toBeLessThan(400_000);
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 512, height: 768 });
  const edited = await call(client, 'edit_image', { images: [imageOf(made)], prompt: 'In winter' });
  expect(edited.isError).toBeFalsy();

  const area = { x: 64, y: 32, width: 640, height: 480 };
  const cropped = await call(client, 'crop_image', { image: imageOf(made), ...area });
  expect(textOf(cropped)).toContain('640x480 png');

  expect(textOf(await call(client, 'get_job', { id: jobOf(edited) }))).toBe(textOf(edited));
  expect(textOf(await call(client, 'list_jobs', { search: 'winter' }))).toContain(jobOf(edited));
  expect(textOf(await call(client, 'list_jobs', { q: 'winter -summer' }))).toContain(jobOf(edited));
  expect(textOf(await call(client, 'cancel_job', { id: jobOf(edited) }))).toContain('has ended');
}

describe.each(REVISIONS)('an agent of the revision %s', (revision, mode) => {
  it('uses every tool over HTTP', async () => {
    const client = await connectHttp(mode);

    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    await useEveryTool(client);
  });

  it('uses every tool over standard input and output, without a running service', async () => {
    // This configuration is completed by the defaults of quickstart.
    const set = [
      'server.bind=127.0.0.1:0',
      'providers.sandbox.latency_ms=0',
      'providers.agent_responses.enabled=false',
    ];
    const args = set.flatMap((assignment) => ['--set', assignment]);
    const client = await connectStdio(mode, { cwd: await freshFolder(), args });

    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    await useEveryTool(client);
  });

  it('gets the whole image as a resource', async () => {
    const client = await connectHttp(mode);
    const { content } = await call(client, 'generate_image', { prompt: 'A harbour' });

    const link = content.find((part) => part.type === 'resource_link');
    const { contents } = await client.readResource({ uri: link?.uri ?? '' });
    const whole = Buffer.from((contents[0] as { blob: string }).blob, 'base64');

    expect(whole.length).toBe(link?.size);
    expect(await sharp(whole).metadata()).toMatchObject({ width: 1024, height: 1024 });
  });

  it('receives the progress of the work', async () => {
    const client = await connectHttp(mode);
    const stages: (string | undefined)[] = [];

    await client.callTool(
      { name: 'generate_image', arguments: { prompt: 'A fox' } },
      { onprogress: ({ message }) => stages.push(message) },
    );

    expect(stages).toContain('generating');
  });

  it('keeps the image that is being generated when the client stops waiting', async () => {
    const slow = await startBridge({
      // As long as the lease of a replica, which notices a cancellation within a sixth of its lease.
      set: [...SERVED, 'providers.sandbox.latency_ms=5000'],
      env: { TOKEN },
    });
    const client = await connectHttp(mode, TOKEN, slow);
    const wanted = { prompt: `A slow fox, by ${revision}`, size: '64x64' };
    const jobs = async () => textOf(await call(client, 'list_jobs', { search: wanted.prompt }));
    const controller = new AbortController();

    const generating = client.callTool(
      { name: 'generate_image', arguments: wanted },
      {
        signal: controller.signal,
        onprogress({ message }) {
          if (message === 'generating') controller.abort(new Error('stops waiting'));
        },
      },
    );
    await expect(generating).rejects.toThrow('stops waiting');
    // Without sessions, a cancellation of the revision 2025-11-25 does not name its call, so the job continues.
    const isContinued = IS_SCALED && revision === '2025-11-25';
    const end = isContinued ? 'succeeded' : 'cancelled';
    // The only limit is the limit of the test, because a busy machine may take long to generate the image.
    while (!(await jobs()).includes(end)) await delay(50);

    const [id] = /[0-9a-f-]{36}/.exec(await jobs()) ?? [];
    expect(textOf(await call(client, 'get_job', { id }))).toMatch(/Image [0-9a-f]{32}/);
  });

  it('cancels a queued job with its call', async () => {
    const client = await connectHttp(mode);
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const pause = (paused: boolean) =>
      fetch(`${bridge.address}/v1/queue`, {
        method: 'PATCH',
        headers,
        body: JSON.stringify({ paused }),
      });
    const controller = new AbortController();
    const wanted = { prompt: `To be cancelled by ${revision}` };
    const jobs = async () => textOf(await call(client, 'list_jobs', { search: wanted.prompt }));
    await pause(true);
    const generating = client.callTool(
      { name: 'generate_image', arguments: wanted },
      { signal: controller.signal },
    );
    await expect.poll(jobs).toContain('queued');

    controller.abort();

    await expect(generating).rejects.toThrow();
    // Without sessions, a cancellation of the revision 2025-11-25 does not name its call, so the job continues.
    const isContinued = IS_SCALED && revision === '2025-11-25';
    if (!isContinued) await expect.poll(jobs).toContain('cancelled');
    await pause(false);
    if (isContinued) await expect.poll(jobs).toContain('succeeded');
  });

  it.each(['HTTP', 'standard input and output'])(
    'learns over %s which argument is invalid, and why',
    async (transport) => {
      const env = { IMAGE_BRIDGE_URL: bridge.address, IMAGE_BRIDGE_TOKEN: TOKEN };
      const client =
        transport === 'HTTP'
          ? await connectHttp(mode)
          : await connectStdio(mode, { cwd: await freshFolder(), env });

      for (const [name, args, field, code] of WRONG_ARGUMENTS) {
        const result = await call(client, name, args);

        expect(result.isError).toBe(true);
        expect(textOf(result)).toMatch(/^invalid_request: /);
        expect(textOf(result)).toContain(`  ${field} `);
        expect(result.structuredContent).toMatchObject({
          code: 'invalid_request',
          issues: [{ field, code }],
        });
      }
    },
  );

  it.each([
    [
      'an image that is not there',
      'edit_image',
      { images: ['0'.repeat(32)], prompt: 'x' },
      /^(artifact_)?not_found|^input/,
    ],
    [
      'a file of another machine',
      'edit_image',
      { images: ['fox.png'], prompt: 'x' },
      /^invalid_request/,
    ],
    ['a job that is not there', 'get_job', { id: 'nothing' }, /^not_found/],
    [
      'a model that is not there',
      'generate_image',
      { prompt: 'x', model: 'none' },
      /^unsupported_capability/,
    ],
  ])('learns about %s from the result of the tool', async (_name, name, args, words) => {
    const client = await connectHttp(mode);

    const result = await call(client, name, args);

    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(words);
    expect(result.structuredContent).toMatchObject({ code: expect.stringMatching(words) });
  });
});

const BEARER = { authorization: `Bearer ${TOKEN}` };

async function documentChecker() {
  const response = await fetch(`${bridge.address}/v1/openapi.json`, { headers: BEARER });
  return createReplyChecker((await response.json()) as Record<string, unknown>);
}

/** A message of the revision 2026-07-28. */
function modernCall(method: string) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { jsonrpc: '2.0', id: 1, method, params: { _meta: meta } };
}

describe('/mcp', () => {
  const send = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${bridge.address}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${TOKEN}`,
        ...headers,
      },
      body,
    });
  const initialize = JSON.stringify(INITIALIZE);
  const beginSession = async () => {
    const begun = await send(initialize);
    await begun.text();
    return { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  };

  it.each([
    ['no token', { authorization: '' }, 401],
    ['another token', { authorization: 'Bearer other' }, 401],
    ['a page of another site', { origin: 'https://example.com' }, 403],
    ['a body that is no JSON', { 'content-type': 'text/plain' }, 415],
  ])('rejects %s as every route does', async (_name, headers, status) => {
    expect((await send(initialize, headers)).status).toBe(status);
  });

  it('rejects a message above the body limit, and serves the next message', async () => {
    const response = await send(' '.repeat(90_000_000)).catch(() => undefined);

    expect([413, undefined]).toContain(response?.status);
    expect((await send(initialize)).status).toBe(200);
  });

  it.skipIf(IS_SCALED)(
    'replies to every protocol error according to the OpenAPI document',
    async () => {
      const checker = await documentChecker();
      const session = await beginSession();
      const unknown = { 'mcp-session-id': 'x' };
      const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
      const list = { jsonrpc: '2.0', id: 'a', method: 'tools/list' };
      const refusals: [method: string, headers: object, body: unknown, status: number][] = [
        ['POST', {}, {}, 400],
        ['POST', {}, [], 400],
        ['POST', {}, list, 400],
        ['POST', session, INITIALIZE, 400],
        ['POST', { ...session, 'mcp-protocol-version': '1999-01-01' }, list, 400],
        ['POST', modern, list, 400],
        ['POST', { ...modern, 'mcp-method': 'nothing' }, modernCall('tools/list'), 400],
        ['POST', { ...modern, 'mcp-method': 'nothing' }, modernCall('nothing'), 404],
        ['POST', unknown, list, 404],
        ['POST', { accept: 'application/json' }, INITIALIZE, 406],
        ['POST', {}, 'text', 422],
        ['GET', {}, undefined, 400],
        ['GET', unknown, undefined, 404],
        ['GET', { ...session, accept: 'application/json' }, undefined, 406],
        ['DELETE', {}, undefined, 400],
        ['DELETE', unknown, undefined, 404],
        ['DELETE', session, undefined, 200],
      ];

      for (const [method, headers, body, status] of refusals) {
        const reply = await fetch(`${bridge.address}/mcp`, {
          method,
          headers: {
            ...BEARER,
            accept: 'application/json, text/event-stream',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const text = await reply.text();

        expect([method, headers, body, reply.status]).toEqual([method, headers, body, status]);
        checker.check({ method, path: '/mcp' }, status, Object.fromEntries(reply.headers), text);
      }
    },
  );

  it.skipIf(IS_SCALED)(
    'opens a stream before it has anything to send, and rejects a second stream according to the OpenAPI document',
    async () => {
      const checker = await documentChecker();
      const headers = { ...BEARER, ...(await beginSession()), accept: 'text/event-stream' };
      const controller = new AbortController();
      // Shorter than the time until its first keep-alive.
      const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(12_000)]);
      const open = () => fetch(`${bridge.address}/mcp`, { headers, signal });

      expect((await open()).status).toBe(200);
      const refused = await open();

      expect(refused.status).toBe(409);
      const body = await refused.text();
      checker.check('openMcpStream', 409, Object.fromEntries(refused.headers), body);
      controller.abort();
    },
  );

  it.skipIf(IS_SCALED)('ends a session, which is then unknown', async () => {
    const session = await beginSession();
    const authorization = `Bearer ${TOKEN}`;

    const ended = await fetch(`${bridge.address}/mcp`, {
      method: 'DELETE',
      headers: { authorization, ...session },
    });
    const after = await send('{"jsonrpc":"2.0","id":2,"method":"tools/list"}', session);

    expect([ended.status, after.status]).toEqual([200, 404]);
  });

  it('does not exist unless it is enabled', async () => {
    const plain = await startBridge();

    expect((await fetch(`${plain.address}/mcp`, { method: 'POST' })).status).toBe(404);
  });
});

describe('image-bridge mcp', () => {
  it('uses the named service, and leaves it running', async () => {
    const env = { IMAGE_BRIDGE_URL: bridge.address, IMAGE_BRIDGE_TOKEN: TOKEN };
    const client = await connectStdio({ mode: 'legacy' }, { cwd: await freshFolder(), env });

    const made = await call(client, 'generate_image', { prompt: 'A fox of another process' });
    await client.close();

    const found = await connectHttp({ mode: 'legacy' });
    expect(textOf(await call(found, 'list_jobs', { search: 'another process' }))).toContain(
      jobOf(made),
    );
  });

  it('accepts an argument of many megabytes', async () => {
    const env = { IMAGE_BRIDGE_URL: bridge.address, IMAGE_BRIDGE_TOKEN: TOKEN };
    const client = await connectStdio({ mode: 'legacy' }, { cwd: await freshFolder(), env });

    const result = await call(client, 'generate_image', { prompt: 'x'.repeat(40_000_000) });

    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^invalid_request: /);
  });

  it('exits after a message that is longer than any request', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'mcp'], { cwd: await freshFolder() });
    child.stdin.on('error', () => {});
    const ended = once(child, 'close');

    child.stdin.write('x'.repeat(101_000_000));

    expect(await ended).toEqual([0, null]);
  });

  it('reports that the named service cannot be reached', async () => {
    const env = { IMAGE_BRIDGE_URL: 'http://127.0.0.1:9' };
    const client = await connectStdio({ mode: 'legacy' }, { cwd: await freshFolder(), env });

    const result = await call(client, 'list_models');

    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^unreachable: /);
  });

  it('edits a file below its working directory, and reads no other file', async () => {
    const outside = await freshFolder();
    const cwd = join(await freshFolder(), 'work');
    await mkdir(cwd);
    const image = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    await Promise.all([
      writeFile(join(outside, 'out.png'), image),
      writeFile(join(cwd, 'in.png'), image),
    ]);
    await symlink(join(outside, 'out.png'), join(cwd, 'link.png'));
    const env = { IMAGE_BRIDGE_URL: bridge.address, IMAGE_BRIDGE_TOKEN: TOKEN };
    const client = await connectStdio({ mode: 'legacy' }, { cwd, env });
    const edit = (path: string) => call(client, 'edit_image', { images: [path], prompt: 'Bluer' });

    expect((await edit('in.png')).isError).toBeFalsy();
    for (const path of ['link.png', '../out.png', join(outside, 'out.png'), 'none.png', '.']) {
      const refused = await edit(path);
      expect(refused.isError).toBe(true);
      expect(textOf(refused)).toMatch(/^invalid_request: /);
    }
  });
});
