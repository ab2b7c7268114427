import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freshFolder, launchProgram } from '../support/start-bridge.ts';
import { exchange } from './exchange.ts';
import type { Fuzzer } from './fuzzer.ts';

const MAX_DIRECT = 1000;
const START_MS = 120_000;

/**
 * Sends damaged requests to a slot, directly and through the gateway. The gateway may reject a request, but the slot must not
 * receive a request that it would not receive directly.
 */
export const gateway: Fuzzer = {
  name: 'gateway',
  tokens: [
    '\r\n',
    '\r\n\r\n',
    '\n',
    '\r',
    ' ',
    '\t',
    '\0',
    '0\r\n\r\n',
    'GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'Content-Length: 5\r\n',
    'Content-Length: +5\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: identity, chunked\r\n',
    'Connection: content-length\r\n',
    'Connection: transfer-encoding\r\n',
    'Connection: close\r\n',
    'Expect: 100-continue\r\n',
    'Host: other\r\n',
    ';extension=1',
  ],
  async open() {
    const slot = await startSlot();
    const { run, port } = await startGateway(slot.port);
    // Different requests, because an input may repeat one thousands of times. A request may reach the slot after the client
    // of the gateway is gone, so earlier inputs count too.
    let direct: string[] = [];

    return {
      async check(input) {
        await exchange(slot.port, input);
        direct = [...new Set([...direct, ...slot.takeSeen()])].slice(-MAX_DIRECT);
        await exchange(port, input);
        if (run.child.exitCode !== null || run.child.signalCode !== null) {
          throw new Error(`the gateway has ended: ${run.output.stderr.slice(-2000)}`);
        }
        for (const request of slot.takeSeen()) {
          if (!direct.includes(request)) {
            throw new Error(`the slot received another request: ${request}`);
          }
        }
      },
      async close() {
        run.child.kill('SIGKILL');
        await run.ended;
        slot.close();
      },
    };
  },
};

/** Starts a server that records the method, the target, the host and the body of each complete request. */
async function startSlot() {
  let seen: string[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      return;
    }
    const isProbe = incoming.url === '/health/ready';
    const { method, url, headers } = incoming;
    const body = Buffer.concat(chunks).toString('latin1');
    if (!isProbe) seen.push(JSON.stringify([method, url, headers.host, body]));
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // A server that listens on a TCP port has an address of this form.
    port: (server.address() as AddressInfo).port,
    takeSeen(): string[] {
      const taken = seen;
      seen = [];
      return taken;
    },
    close: () => void server.close().closeAllConnections(),
  };
}

async function startGateway(slotPort: number) {
  const folder = await freshFolder();
  await writeFile(join(folder, 'target'), 'blue');
  const slots = ['--blue', `http://127.0.0.1:${slotPort}`, '--green', 'http://127.0.0.1:1'];
  const argv = ['gateway', '--bind', '127.0.0.1:0', '--coordination', 'target', ...slots];
  const run = launchProgram(argv, folder);
  for (const beganMs = performance.now(); ; await delay(20)) {
    const port = /listens on \S+:(\d+)/.exec(run.output.stdout)?.[1];
    if (port !== undefined) return { run, port: Number(port) };
    if (performance.now() - beganMs > START_MS) throw new Error(run.output.stderr);
  }
}
