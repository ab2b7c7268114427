import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns a free port of 127.0.0.1, for a program that needs a fixed port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a TCP port has an address of this form.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
