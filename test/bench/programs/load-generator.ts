import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { LoadRequest, LoadResult, LoadTask } from '../measure/load.ts';
import { percentile } from '../measure/statistics.ts';

/**
 * Creates load over plain sockets, because an HTTP client costs more than the measured servers. It supports just enough of
 * HTTP/1.1 for replies with a Content-Length.
 */
interface Connection {
  /** Sends its request. Resolves with the time until the last byte of the reply in milliseconds. */
  request(): Promise<number>;
  close(): void;
}

// Large enough that an image arrives in few pieces. All connections read into this buffer, and no bytes are copied.
const READ_BYTES = 1024 * 1024;

process.on('message', (task: LoadTask) => {
  run(task).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.on('disconnect', () => process.exit());

async function run({ port, requests, connections, forMs }: LoadTask): Promise<LoadResult> {
  const payloads = await Promise.all(requests.map((request) => toPayload(request, port)));
  const opened = await Promise.all(
    Array.from({ length: connections }, (_, index) => {
      const payload = payloads[index % payloads.length];
      return open(port, payload ?? []);
    }),
  );
  const times: number[] = [];
  const startMs = performance.now();
  const isOver = () => performance.now() - startMs >= forMs;
  try {
    await Promise.all(
      opened.map(async (connection) => {
        while (!isOver()) times.push(await connection.request());
      }),
    );
  } finally {
    for (const connection of opened) connection.close();
  }
  return {
    completed: times.length,
    elapsedMs: performance.now() - startMs,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  };
}

async function toPayload(request: LoadRequest, port: number) {
  const { method, path, bodyFile, contentType = 'application/json' } = request;
  const lines = [`${method} ${path} HTTP/1.1`, `host: 127.0.0.1:${port}`];
  if (bodyFile === undefined) return [Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)];
  const body = await readFile(bodyFile);
  lines.push(`content-type: ${contentType}`, `content-length: ${body.length}`);
  return [Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body];
}

function open(port: number, payload: readonly Buffer[]): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let head = '';
    let left = 0;
    let startedMs = 0;
    let settle: { resolve: (ms: number) => void; reject: (error: Error) => void } | undefined;
    const fail = (error: Error) => {
      settle?.reject(error);
      reject(error);
    };

    function take(length: number, piece: Buffer): void {
      if (left === 0) {
        head += piece.toString('latin1', 0, length);
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) return;
        const bodyBytes = contentLength(head.slice(0, end));
        if (bodyBytes === undefined) {
          fail(new Error(`replied ${head.slice(0, 400)}`));
          return;
        }
        left = bodyBytes - (head.length - end - 4);
        head = '';
      } else left -= length;
      if (left === 0) settle?.resolve(performance.now() - startedMs);
    }

    const socket = connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(READ_BYTES),
        callback(length, buffer) {
          // Node passes the buffer that it was given.
          take(length, buffer as Buffer);
          return true;
        },
      },
    });
    socket.on('error', fail).on('close', () => fail(new Error('the connection was closed')));
    socket.on('connect', () =>
      resolve({
        request() {
          return new Promise((done, failed) => {
            settle = { resolve: done, reject: failed };
            startedMs = performance.now();
            socket.cork();
            for (const piece of payload) socket.write(piece);
            socket.uncork();
          });
        },
        close: () => socket.destroy(),
      }),
    );
  });
}

/** Returns the length of a successful reply with a Content-Length, otherwise undefined. */
function contentLength(head: string): number | undefined {
  if (!/^HTTP\/1\.1 20[0-9] /.test(head)) return undefined;
  const found = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  return found === undefined ? undefined : Number(found);
}
