import { describe, expect, it } from 'vitest';
import type { HttpResponse } from '../../../../lib/net/http-client.ts';
import { createComfyServer } from '../../../../lib/providers/comfyui/server.ts';
import { longReadsOf } from '../../../support/long-reads.ts';

const ID = '0199f0a0-0000-7000-8000-000000000001';
const { signal } = new AbortController();

/** Starts a server that sends this reply to every request. */
function serverWith(text: string) {
  const response: HttpResponse = {
    status: 200,
    header: () => undefined,
    body: {
      async *[Symbol.asyncIterator]() {
        yield Buffer.from(text);
      },
      destroy() {},
    },
  };
  return createComfyServer({
    httpClient: { request: async () => response },
    apiKey: { key: async () => undefined, changed: async () => false },
    baseUrl: 'http://127.0.0.1:1',
    ids: { newOpaqueId: () => 'id', newUuid: () => 'uuid' },
  });
}

const members = (count: number, value: string) =>
  Array.from({ length: count }, (_, at) => `"${at.toString(36)}":${value}`).join(',');

const UNEXPECTED = {
  code: 'protocol',
  message: expect.stringContaining('unexpected response format'),
};

describe('a reply of a ComfyUI server', () => {
  it('is rejected if it contains entries of 230,000 prompts', async () => {
    const { history } = serverWith(`{${members(230_000, '{}')}}`);

    await expect(history(ID, signal)).rejects.toMatchObject(UNEXPECTED);
  });

  it.each(['outputs', 'status'])(
    'is rejected if the %s of an entry has 100,000 members',
    async (name) => {
      const { history } = serverWith(`{"${ID}":{"${name}":{${members(100_000, '{}')}}}}`);

      await expect(history(ID, signal)).rejects.toMatchObject(UNEXPECTED);
    },
  );

  it('is accepted with a workflow of any size, which is not parsed', async () => {
    const workflow = `{${members(120_000, '{}')}}`;
    const { history } = serverWith(
      `{"${ID}": {"prompt": [1, "x", ${workflow}], "outputs": {"9": {"images": []}}, "status": {"status_str": "success", "messages": []}}}`,
    );
    const parse = JSON.parse;
    const lengths: number[] = [];
    JSON.parse = (text: string) => {
      lengths.push(text.length);
      return parse(text) as unknown;
    };
    try {
      const reads = await longReadsOf(async () => {
        expect(await history(ID, signal)).toMatchObject({
          outputs: { '9': { images: [] } },
          status: { status_str: 'success' },
        });
      });
      expect(reads).toEqual([]);
    } finally {
      JSON.parse = parse;
    }
    expect(Math.max(...lengths)).toBeLessThan(100);
  });

  it('means an unfinished prompt if it is empty and a failure if it is not JSON', async () => {
    expect(await serverWith('{}').history(ID, signal)).toBeUndefined();
    await expect(serverWith('[]').history(ID, signal)).rejects.toMatchObject(UNEXPECTED);
    await expect(serverWith(`{"${ID}":[]}`).history(ID, signal)).rejects.toMatchObject(UNEXPECTED);
  });

  it('is ignored if the queue is too large to be read', async () => {
    const { queue } = serverWith(
      `{"queue_running":[[1,"a",{${members(100_000, '{}')}}]],"queue_pending":[]}`,
    );

    expect(await queue(signal)).toBeUndefined();
  });
});
