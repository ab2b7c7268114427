import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What listens where a service is expected, and replies as `listener` does. */
export async function openStub(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
