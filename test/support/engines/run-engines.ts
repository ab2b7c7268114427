import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.ts';
import { startS3Gateway } from './s3-gateway.ts';

interface Engine {
  stop(): Promise<void>;
}

const STARTS: Readonly<Record<string, () => Promise<Engine>>> = {
  '/postgres': startPostgres,
  '/s3': startS3Gateway,
};

/** Serves all test files of a run with one server of each kind. A server starts when the first test asks. */
export default async function setup({ provide }: TestProject) {
  const engines = new Map<string, Promise<Engine>>();
  const server = createServer(async ({ url = '/' }, response) => {
    const engine = engines.get(url) ?? STARTS[url]?.();
    if (engine === undefined) return void response.writeHead(404).end();
    engines.set(url, engine);
    await engine.then(
      (started) => response.end(JSON.stringify(started)),
      (error) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a TCP port has an address of this form.
  const { port } = server.address() as AddressInfo;
  provide('engines', `http://127.0.0.1:${port}`);

  return async function teardown() {
    server.close();
    const ends = await Promise.allSettled(engines.values());
    await Promise.all(ends.map((end) => end.status === 'fulfilled' && end.value.stop()));
  };
}
