import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { plainSchema } from '../../../lib/contract/json-schema.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import type { McpCall } from '../../../lib/services.ts';
import { createMcpEndpoint } from '../../../local-runtime/mcp/mcp-endpoint.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { INITIALIZE } from '../../support/mcp-initialize.ts';

vi.mock(import('../../../lib/contract/json-schema.ts'), async (original) => {
  const real = await original();
  return { ...real, plainSchema: vi.fn(real.plainSchema) };
});

type Deps = Parameters<typeof createMcpEndpoint>[0];

const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

function openEndpoint(keepsSessions: boolean) {
  const clock = createManualClock();
  const httpSettings = { clock, ids: createIds(clock.nowMs) } as unknown as Deps['httpSettings'];
  const endpoint = createMcpEndpoint({
    routes: [],
    services: () => {
      throw new Error('no tool is called');
    },
    httpSettings,
    images: {} as Deps['images'],
    version: '1',
    keepsSessions,
  });

  return {
    close: endpoint.close,
    prepare: endpoint.prepare,
    async send(body: unknown, headers: Record<string, string> = {}, method = 'POST') {
      const call = {
        method,
        headers: { host: 'localhost', accept: 'application/json, text/event-stream', ...headers },
        body,
        context: {
          signal: () => new AbortController().signal,
          caller: { scope: 's', id: 'one' },
          onRevoked: () => () => {},
        },
      } as unknown as McpCall;
      const reply = await endpoint.handle(call);
      const { status, headers: replied = {}, body: content = '' } = reply;
      const isStream = typeof content === 'object' && Symbol.asyncIterator in content;
      return {
        status,
        headers: replied,
        content: isStream ? await text(Readable.from(content)) : String(content),
      };
    },
  };
}

describe('createMcpEndpoint', () => {
  it('converts the schemas of the tools once, before the first request', async () => {
    const endpoint = openEndpoint(true);
    const converted = vi.mocked(plainSchema);

    await endpoint.prepare();
    const prepared = converted.mock.calls.length;
    const opened = await endpoint.send(INITIALIZE);
    const session = opened.headers['mcp-session-id'] ?? '';
    const listed = await endpoint.send(LIST, { 'mcp-session-id': session });
    await endpoint.close();

    expect(listed.content).toContain('generate_image');
    expect(prepared).toBeGreaterThan(0);
    expect(converted.mock.calls).toHaveLength(prepared);
  });

  it('opens a session for a client of a 2025 revision if no other replica gets its requests', async () => {
    const endpoint = openEndpoint(true);

    const opened = await endpoint.send(INITIALIZE);
    const session = opened.headers['mcp-session-id'] ?? '';
    const listed = await endpoint.send(LIST, { 'mcp-session-id': session });
    await endpoint.close();

    expect(session).not.toBe('');
    expect(listed.content).toContain('generate_image');
  });

  it('answers each request of a client of a 2025 revision on any replica if it keeps no sessions', async () => {
    const [first, second] = [openEndpoint(false), openEndpoint(false)];

    const opened = await first.send(INITIALIZE);
    const listed = await second.send(LIST, { 'mcp-protocol-version': '2025-11-25' });
    await Promise.all([first.close(), second.close()]);

    expect(opened).toMatchObject({ status: 200, content: expect.stringContaining('serverInfo') });
    expect(opened.headers).not.toHaveProperty('mcp-session-id');
    expect(listed).toMatchObject({
      status: 200,
      content: expect.stringContaining('generate_image'),
    });
  });

  it('rejects the stream of a session if it keeps no sessions', async () => {
    const endpoint = openEndpoint(false);

    const reply = await endpoint.send(undefined, {}, 'GET');
    await endpoint.close();

    expect(reply.status).toBe(405);
  });
});
