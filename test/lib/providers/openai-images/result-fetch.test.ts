import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../../../lib/net/http-client.ts';
import { createRemoteFetch } from '../../../../lib/net/remote-fetch.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createResultFetch } from '../../../../lib/providers/openai-images/result-fetch.ts';
import { createScriptedHttp, type ScriptedReply } from '../agent-responses/scripted-http.ts';
import { openImageServer, type Reply } from './image-server.ts';

const IMAGE = Buffer.from('the image');
const HEADERS = { authorization: 'Bearer secret' };
const POLICY = {
  allowed_hosts: ['files.example'],
  allowed_ports: [443],
  allow_private_networks: false,
  max_redirects: 3,
  timeout_ms: 20_000,
};

const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const it of opened.splice(0).reverse()) await it.close();
});

interface Remote {
  readonly replies?: readonly ScriptedReply[];
  readonly address?: string;
}

/** Fetches from a real server as the server of the call, and from a scripted server as any other host. */
async function open(reply: Reply, { replies = [], address = '93.184.216.34' }: Remote = {}) {
  const server = await openImageServer(reply);
  const httpClient = createHttpClient();
  opened.push(server, httpClient);
  const elsewhere = createScriptedHttp(replies);
  const fetchResult = createResultFetch({
    httpClient,
    fetchRemote: createRemoteFetch({
      policy: POLICY,
      clock: systemClock,
      lookup: async () => [{ address, family: 4 }],
      openClient: () => ({ ...elsewhere, close: async () => {} }),
    }),
    maxBytes: 1000,
  });
  const call = { url: `${server.url}/v1/images/generations`, headers: HEADERS };
  return {
    server,
    elsewhere,
    fetch: (url: string, signal = new AbortController().signal) => fetchResult(url, call, signal),
  };
}

const file: Reply = (_received, response) => response.end(IMAGE);
const reasonOf = (work: Promise<unknown>) =>
  work.catch((error: { code: string; details: object }) => [error.code, error.details]);

describe('createResultFetch', () => {
  it.each(['/files/1.png', '1.png'])('fetches %s from the server of the call', async (url) => {
    const { fetch, server } = await open(file);

    expect(await fetch(url)).toEqual(IMAGE);
    expect(server.received[0]?.headers).toMatchObject(HEADERS);
  });

  it('fetches from a listed host without the key', async () => {
    const { fetch, elsewhere } = await open(file, { replies: [{ chunks: [IMAGE] }] });

    expect(await fetch('https://files.example/1.png')).toEqual(IMAGE);
    expect(elsewhere.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('does not fetch from a listed host with a private address', async () => {
    const { fetch, elsewhere } = await open(file, { address: '10.0.0.1' });

    const failure = await reasonOf(fetch('https://files.example/1.png'));

    expect(failure).toEqual(['protocol', { reason: 'address_not_allowed' }]);
    expect(elsewhere.requests).toEqual([]);
  });

  it.each<[name: string, reply: Reply, reason: string]>([
    [
      'redirects',
      (_received, response) => response.writeHead(302, { location: '/2.png' }).end(),
      'status_not_ok',
    ],
    ['has no such file', (_received, response) => response.writeHead(404).end(), 'status_not_ok'],
    ['sends too much', (_received, response) => response.end(Buffer.alloc(2000)), 'too_many_bytes'],
    ['breaks off', (_received, response) => response.destroy(), 'unreachable'],
  ])('throws an error that is not retryable if the server %s', async (_name, reply, reason) => {
    const { fetch, server } = await open(reply);

    expect(await reasonOf(fetch('/1.png'))).toEqual(['protocol', { reason }]);
    expect(server.received).toHaveLength(1);
  });

  it('rejects with the reason of its signal', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped by the test');
    const { fetch } = await open(() => controller.abort(reason));

    await expect(fetch('/1.png', controller.signal)).rejects.toBe(reason);
  });
});
