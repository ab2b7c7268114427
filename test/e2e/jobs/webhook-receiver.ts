import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { WebhookMessage } from '../../../lib/contract/resources/job-events.ts';

/** A secret of 32 bytes. */
export const SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

/** A message whose signature was verified with the Standard Webhooks library. */
export interface Received extends WebhookMessage {
  readonly id: string;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** A receiver on loopback that can be ended and started again at the same port. */
export async function startReceiver(reply: () => number | 'cut' = () => 204) {
  const received: Received[] = [];
  const refused: unknown[] = [];
  const webhook = new Webhook(SECRET);
  let port = 0;
  let server: Server | undefined;

  async function start(): Promise<void> {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of request) chunks.push(chunk);
      } catch {
        // The bridge was killed while it sent.
        return;
      }
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      try {
        const message = webhook.verify(Buffer.concat(chunks), headers);
        // The message was verified above. The tests compare its content.
        received.push({ ...(message as WebhookMessage), id: headers['webhook-id'] ?? '' });
      } catch (error) {
        refused.push(error);
      }
      const status = reply();
      if (status === 'cut') request.socket.destroy();
      else response.writeHead(status).end();
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    port = address.port;
  }

  await start();
  return {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/ends`,
    received,
    /** Reasons why messages were not accepted. */
    refused,
    start,
    /** Cuts all connections and accepts no more. */
    async kill(): Promise<void> {
      const closed = server && once(server, 'close');
      server?.close();
      server?.closeAllConnections();
      await closed;
    },
  };
}

/** Returns the settings and the environment of a bridge that sends to receivers on these hosts. */
export function webhookSettings(...hosts: readonly string[]) {
  return {
    set: [
      'server.webhooks.enabled=true',
      `server.webhooks.allowed_hosts=${JSON.stringify(hosts)}`,
      'server.webhooks.secret_env=HOOK_SECRET',
    ],
    env: { HOOK_SECRET: SECRET },
  };
}
