import { createServer } from 'node:http';
import { type ListenAddress, listen } from '../listener/listen.ts';

/** Serves `GET /metrics` and nothing else. Throws `configuration` when it cannot listen. */
export async function openMetricsListener(
  address: ListenAddress,
  exposition: () => Promise<string>,
): Promise<{ close(): void }> {
  const server = createServer(async ({ url, method }, reply) => {
    if (url?.split('?', 1)[0] !== '/metrics' || method !== 'GET') {
      reply.writeHead(404).end();
      return;
    }
    const text = await exposition();
    reply.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
  });
  await listen(server, address, '--metrics-bind');
  return {
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
