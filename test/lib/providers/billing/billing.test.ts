import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../../../lib/net/http-client.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createBilling } from '../../../../lib/providers/billing/billing.ts';
import { OPENROUTER_BILLING } from '../../../../lib/providers/openai-images/dialects/openrouter-billing.ts';
import { FAL_BILLING } from '../../../../lib/providers/task/fal-billing.ts';

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

/** Opens the charges of a service that replies as `listener` does. Returns the paths of its requests. */
async function openBilling(
  listener: RequestListener,
  source = FAL_BILLING as typeof OPENROUTER_BILLING,
) {
  const paths: string[] = [];
  const server = createServer((incoming, response) => {
    paths.push(incoming.url ?? '');
    expect(incoming.headers['authorization']).toBe('Key a-made-up-key');
    listener(incoming, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const httpClient = createHttpClient();
  closings.push(async () => {
    await httpClient.close();
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address of this type.
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const headers = async () => ({ authorization: 'Key a-made-up-key' });
  const billing = createBilling({ source, address, headers, httpClient, clock: systemClock });
  const chargesOf = (ids: readonly string[], signal = new AbortController().signal) =>
    billing.chargesOf(ids, 20_000, signal);
  return { chargesOf, paths };
}

const json = (value: unknown, status = 200): RequestListener => {
  return (_incoming, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
};
const events = (...all: readonly object[]) => json({ billing_events: all, has_more: false });

describe('createBilling', () => {
  it('asks for 50 ids in a request, and adds the parts of a charge', async () => {
    const { chargesOf, paths } = await openBilling(
      events(
        { request_id: 'id-1', cost_total: 0.025 },
        { request_id: 'id-1', cost_total: 0.0003 },
        { request_id: 'of-another-client', cost_total: 9 },
      ),
    );

    const charges = await chargesOf(Array.from({ length: 51 }, (_, nth) => `id-${nth}`));

    expect(charges).toEqual(new Map([['id-1', 253_000_000n]]));
    const queries = paths.map((path) => new URL(path, 'http://any').searchParams);
    expect(queries.map((query) => query.get('request_id')?.split(',').length)).toEqual([50, 1]);
    expect(queries.map((query) => query.get('start'))).toEqual(['2024-10-04', '2024-10-04']);
  });

  it('asks OpenRouter for each call, which it does not know at first', async () => {
    const { chargesOf } = await openBilling((incoming, response) => {
      const id = new URL(incoming.url ?? '', 'http://any').searchParams.get('id');
      if (id === 'gen-2') json({ error: { code: 404 } }, 404)(incoming, response);
      else json({ data: { id, total_cost: 0.04, is_byok: null } })(incoming, response);
    }, OPENROUTER_BILLING);

    expect(await chargesOf(['gen-1', 'gen-2', 'gen-3'])).toEqual(
      new Map([
        ['gen-1', 400_000_000n],
        ['gen-3', 400_000_000n],
      ]),
    );
  });

  it.each<[name: string, listener: RequestListener, error: object]>([
    ['a rejected key', json({}, 401), { code: 'provider_authentication' }],
    ['a key that may not read charges', json({}, 403), { code: 'permission_denied' }],
    ['a failure', json({}, 500), { code: 'upstream', details: { reason: 'unexpected_status' } }],
    [
      'HTML',
      (_incoming, response) => response.end('<html></html>'),
      { code: 'upstream', details: { reason: 'unexpected_reply' } },
    ],
    [
      'a charge that is no number',
      events({ request_id: 'a', cost_total: '1.0' }),
      { code: 'upstream', details: { reason: 'unexpected_reply' } },
    ],
    [
      'a negative charge',
      events({ request_id: 'a', cost_total: -1 }),
      { code: 'upstream', details: { reason: 'unexpected_reply' } },
    ],
    [
      'a part of the events',
      json({ billing_events: [], has_more: true }),
      { code: 'upstream', details: { reason: 'unexpected_reply' } },
    ],
    [
      'more than a mebibyte',
      (_incoming, response) => response.end(`{"a":"${'x'.repeat(1_100_000)}"}`),
      { code: 'upstream', details: { reason: 'unexpected_reply' } },
    ],
    [
      'a lost connection',
      (_incoming, response) => void response.destroy(),
      { code: 'upstream', details: { reason: 'connection_lost' } },
    ],
  ])('reports %s', async (_name, listener, error) => {
    const { chargesOf } = await openBilling(listener);

    await expect(chargesOf(['a'])).rejects.toMatchObject(error);
  });

  it("rejects with the signal's reason while it waits", async () => {
    const controller = new AbortController();
    const reason = new Error('aborted by the test');
    const { chargesOf } = await openBilling(() => controller.abort(reason));

    await expect(chargesOf(['a'], controller.signal)).rejects.toBe(reason);
  });
});
