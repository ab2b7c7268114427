import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer as createNetServer, type Server } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import sharp from 'sharp';
import { request } from 'undici';
import { listenForBench, programOptions } from './measured-server.ts';

/** The smallest work of any server for the same reply. */
export type FloorOptions =
  /** Bare Hono, one JSON value. */
  | { readonly kind: 'json'; readonly text: string }
  /** Bare Hono, the same JSON value and status for every POST; it reads the body and parses nothing. */
  | { readonly kind: 'accepted'; readonly text: string }
  /** Bare Hono, one Buffer. */
  | { readonly kind: 'bytes'; readonly file: string }
  /** Plain Node, a stream of the file for each reply. */
  | { readonly kind: 'stream'; readonly file: string }
  /** Plain Node: read the file, hash and decode it, send it. */
  | { readonly kind: 'verified-file'; readonly file: string }
  /** Plain Node: read the file, let sharp make the thumbnail, send it. */
  | { readonly kind: 'thumbnail'; readonly file: string; readonly edgePx: number }
  /** Plain Node: parse the body, hash and decode the image, send it as base64 in JSON. */
  | { readonly kind: 'image'; readonly file: string }
  /** Plain Node: send a request on, decode the base64 of the reply, hash and decode the image, send it as base64 in JSON. */
  | ({ readonly kind: 'fetched-image' } & FetchOptions)
  /** Plain Node: parse the body, decode its base64, hash and decode the image, send a small reply. */
  | { readonly kind: 'edit' }
  /** Plain Node: read the body into one buffer, send a small reply. */
  | { readonly kind: 'read' }
  /** Plain Node: copy bytes between a connection and a connection to that port, without reading them. */
  | { readonly kind: 'relay'; readonly port: number };

/** A server that replies with an image. */
interface FetchOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The request that is sent to the server. By default, the request of the client. */
  readonly body?: string;
  /** The JSON member that holds the base64 of the image. */
  readonly member: string;
}

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

// The same settings as in the bridge. Two decodes at a time use one core each on the smallest supported machine.
sharp.concurrency(1);
sharp.cache(false);

const options = programOptions<FloorOptions>();
listenForBench(await serverFor(options));

async function serverFor(floor: FloorOptions): Promise<Server> {
  switch (floor.kind) {
    case 'relay':
      return relay(floor.port);
    case 'json': {
      const value: object = JSON.parse(floor.text);
      return bare((app) => app.get('*', (c) => c.json(value)));
    }
    case 'accepted': {
      const value: object = JSON.parse(floor.text);
      return bare((app) =>
        app.post('*', async (c) => {
          await c.req.text();
          return c.json(value, 202);
        }),
      );
    }
    case 'bytes': {
      const bytes = new Uint8Array(await readFile(floor.file));
      const headers = { 'content-type': 'image/png', 'content-length': String(bytes.length) };
      return bare((app) => app.get('*', (c) => c.body(bytes, 200, headers)));
    }
    case 'stream':
      return plain(async (_incoming, outgoing) => {
        const { size } = await stat(floor.file);
        outgoing.writeHead(200, { 'content-type': 'image/png', 'content-length': size });
        createReadStream(floor.file).pipe(outgoing);
      });
    case 'verified-file':
      return plain(async (_incoming, outgoing) => {
        const bytes = await readFile(floor.file);
        await verify(bytes);
        send(outgoing, 'image/png', bytes);
      });
    case 'thumbnail': {
      const fitted = { width: floor.edgePx, height: floor.edgePx, fit: 'inside' } as const;
      return plain(async (_incoming, outgoing) => {
        const bytes = await readFile(floor.file);
        send(outgoing, 'image/png', await sharp(bytes).resize(fitted).png().toBuffer());
      });
    }
    case 'image': {
      const image = await readFile(floor.file);
      return plain(async (incoming, outgoing) => {
        const request: { prompt: string } = JSON.parse(toText(await read(incoming)));
        const sha256 = await verify(image);
        const head = `{"prompt":"${request.prompt}","sha256":"${sha256}","b64_json":"`;
        const base64 = image.toString('base64');
        send(outgoing, 'application/json', Buffer.from(`${head}${base64}"}`, 'latin1'));
      });
    }
    case 'fetched-image':
      return plain(async (incoming, outgoing) => {
        const image = await imageFrom(floor, await read(incoming));
        const head = `{"sha256":"${await verify(image)}","b64_json":"`;
        const base64 = image.toString('base64');
        send(outgoing, 'application/json', Buffer.from(`${head}${base64}"}`, 'latin1'));
      });
    case 'edit':
      return plain(async (incoming, outgoing) => {
        const request: EditBody = JSON.parse(toText(await read(incoming)));
        const bytes = Buffer.from(request.images[0]?.data ?? '', 'base64');
        const sha256 = await verify(bytes);
        send(outgoing, 'application/json', Buffer.from(JSON.stringify({ sha256 })));
      });
    case 'read':
      return plain(async (incoming, outgoing) => {
        const { length } = await read(incoming);
        send(outgoing, 'application/json', Buffer.from(JSON.stringify({ length })));
      });
  }
}

interface EditBody {
  readonly images: readonly { readonly data: string }[];
}

function bare(mount: (app: Hono) => void): Server {
  const app = new Hono();
  mount(app);
  // Without further options this creates a plain HTTP/1.1 server.
  return createAdaptorServer({ fetch: app.fetch }) as Server;
}

function plain(handle: Handler): Server {
  return createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch((error: unknown) => {
      process.stderr.write(`${error}\n`);
      outgoing.destroy();
    });
  });
}

/** Returns the image of a reply whose JSON or events are not parsed. */
async function imageFrom(
  { url, headers, body, member }: FetchOptions,
  received: Buffer,
): Promise<Buffer> {
  const sent = { 'content-type': 'application/json', ...headers };
  const reply = await request(url, { method: 'POST', headers: sent, body: body ?? received });
  const bytes = Buffer.from(await reply.body.arrayBuffer());
  const opening = `"${member}":"`;
  const start = bytes.indexOf(opening) + opening.length;
  return Buffer.from(bytes.toString('latin1', start, bytes.indexOf('"', start)), 'base64');
}

/** Decodes every pixel and computes the checksum at the same time. */
async function verify(bytes: Buffer): Promise<string> {
  const decoded = sharp(bytes, { failOn: 'warning' }).raw().toBuffer();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await decoded;
  return sha256;
}

async function read(incoming: IncomingMessage): Promise<Buffer> {
  const whole = Buffer.allocUnsafe(Number(incoming.headers['content-length']));
  let received = 0;
  for await (const chunk of incoming) received += (chunk as Buffer).copy(whole, received);
  return whole;
}

function toText(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8');
}

function send(outgoing: ServerResponse, mediaType: string, bytes: Buffer): void {
  outgoing.writeHead(200, { 'content-type': mediaType, 'content-length': bytes.length });
  outgoing.end(bytes);
}

function relay(port: number): Server {
  return createNetServer((client) => {
    const slot = connect({ port, host: '127.0.0.1' });
    for (const socket of [client, slot]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
    }
    client.pipe(slot).pipe(client);
  });
}
