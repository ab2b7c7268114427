import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const PAGE =
  '<!doctype html><title>Bare</title><h1>Bare</h1><p id="app"><button>What a visit waits for</button>';

/**
 * Serves a page with one heading and one button, which measures the cost of the browser and the machine without the
 * dashboard.
 */
export async function serveBarePage(): Promise<{ readonly address: string; close(): void }> {
  const server = createServer((incoming, outgoing) => {
    outgoing.writeHead(incoming.url === '/' ? 200 : 204, { 'content-type': 'text/html' });
    outgoing.end(incoming.url === '/' ? PAGE : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The address of a server on a TCP port has this type.
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, close: () => server.close() };
}
