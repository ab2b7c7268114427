import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A call as the server received it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type Reply = (received: Received, response: ServerResponse) => unknown;

export interface ImageServer {
  readonly url: string;
  readonly received: readonly Received[];
  close(): Promise<void>;
}

/** Starts a server that replies to each call with the next of these replies, and repeats the last one. */
export async function openImageServer(...replies: readonly Reply[]): Promise<ImageServer> {
  const received: Received[] = [];
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    const call = { method, path: url, headers, body: await buffer(incoming) };
    const nth = received.push(call) - 1;
    await replies[Math.min(nth, replies.length - 1)]?.(call, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** Replies with JSON. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return (_received, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };
}

/** Replies with events and ends the stream. */
export function events(values: readonly unknown[], headers: Record<string, string> = {}): Reply {
  return (_received, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
    response.end(values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join(''));
  };
}

/** A reply of the API with these images. */
export function images(...all: readonly Buffer[]) {
  return { created: 1, data: all.map((bytes) => ({ b64_json: bytes.toString('base64') })) };
}
