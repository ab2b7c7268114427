import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { GATEWAY_STATE } from '../../../local-runtime/gateway/own-routes.ts';
import { type GatewayStart, startGateway } from '../../../local-runtime/gateway/start-gateway.ts';

type Reply = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer) => unknown;

/** A server that stands for a bridge. */
export interface FakeSlot {
  readonly url: string;
  readonly port: number;
  /** Every request whose head has been received, except for probes of the gateway. */
  readonly requests: IncomingMessage[];
  stop(): Promise<void>;
}

const closers: (() => unknown)[] = [];

/** Stops everything. Call it in `afterEach`. The slots stop first, so that no gateway waits for them. */
export async function stopAll(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}

/** Adds a function that `stopAll` calls, in order, after stopping the existing slots. */
export function cleanUpLater(...some: readonly (() => unknown)[]): void {
  closers.push(...some);
}

/** Starts a slot that replies when the body is complete, by default with the name of the slot. */
export async function startSlot(
  name: string,
  reply: Reply = (_incoming, outgoing) => outgoing.end(name),
  port = 0,
): Promise<FakeSlot> {
  const requests: IncomingMessage[] = [];
  const server: Server = createServer((incoming, outgoing) => {
    if (incoming.url === '/health/ready') return outgoing.end();
    requests.push(incoming);
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.once('end', () => reply(incoming, outgoing, Buffer.concat(chunks)));
    incoming.on('error', () => {});
    return undefined;
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  closers.push(stop);
  return { url: `http://127.0.0.1:${taken}`, port: taken, requests, stop };
}

/** Starts a gateway in front of two slots; `target` is the first content of the coordination file. */
export async function startRig(
  slots: { readonly blue?: FakeSlot; readonly green?: FakeSlot },
  target: string | undefined = 'blue',
  changes: Partial<GatewayStart> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-'));
  const coordination = join(folder, 'target');
  const point = async (to: string) => {
    await writeFile(`${coordination}.new`, to);
    await rename(`${coordination}.new`, coordination);
  };
  if (target !== undefined) await point(target);
  const targets: string[] = [];
  // No program listens at this address.
  const nowhere = 'http://127.0.0.1:1';
  const gateway = await startGateway({
    bind: { host: '127.0.0.1', port: 0 },
    metricsBind: undefined,
    coordination,
    origins: { blue: slots.blue?.url ?? nowhere, green: slots.green?.url ?? nowhere },
    holdMs: 60_000,
    forwardMs: 60_000,
    idleMs: 60_000,
    probeMs: 20,
    maxBodyBytes: 1_000_000,
    maxHeld: 100,
    onTarget: (one) => targets.push(one),
    ...changes,
  });
  const url = `http://127.0.0.1:${gateway.port}`;
  cleanUpLater(
    () => rm(folder, { recursive: true }),
    () => gateway.stop(),
  );
  return {
    url,
    port: gateway.port,
    coordination,
    point,
    targets,
    stop: gateway.stop,
    state: async () => v.parse(GATEWAY_STATE, await (await fetch(`${url}/health/gateway`)).json()),
  };
}
