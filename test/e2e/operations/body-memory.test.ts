import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSocket, parseReply, untilClosed } from '../../support/raw-http.ts';
import { cleanUp, type StartedBridge, startBridge } from '../../support/start-bridge.ts';

const MIB = 1024 * 1024;
const LONG_MS = 60_000;

let bridge: StartedBridge;
beforeAll(async () => {
  // A heap of 1 GB, as on a small machine.
  bridge = await startBridge({ env: { NODE_OPTIONS: '--max-old-space-size=1000' } });
});
afterAll(cleanUp);

async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${bridge.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

async function isAlive(): Promise<boolean> {
  return (await fetch(`${bridge.address}/health/live`)).ok;
}

function head(path: string, length: number): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

/** Sends a body in pieces. Resolves with the reply, which may arrive before the end of the body. */
function post(path: string, body: Buffer) {
  return new Promise<{ status: number; text: string; retryAfter: string | undefined }>(
    (resolve, reject) => {
      const outgoing = request(`${bridge.address}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': body.length,
          expect: '100-continue',
        },
      });
      outgoing.on('continue', () => outgoing.end(body));
      outgoing.on('response', (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        incoming.on('end', () => {
          const { statusCode = 0, headers } = incoming;
          resolve({ status: statusCode, text, retryAfter: headers['retry-after'] });
        });
      });
      outgoing.on('error', reject);
      outgoing.flushHeaders();
    },
  );
}

describe('the memory of bodies', () => {
  it(
    'is freed within seconds after 25 interrupted uploads of 75 MB',
    async () => {
      await isAlive();
      const before = await residentBytes();
      const part = Buffer.alloc(70 * MIB, ' ');

      for (let count = 0; count < 25; count++) {
        const socket = await openSocket(bridge.port);
        const closed = untilClosed(socket);
        socket.write(head('/v1/images', 75 * MIB));
        // All bytes except the end are received, or the upload is rejected while another body still counts.
        await new Promise((resolve) => socket.write(part, resolve));
        socket.destroy();
        await closed;
      }

      await vi.waitFor(async () => expect(await residentBytes()).toBeLessThan(before + 100 * MIB), {
        timeout: 15_000,
        interval: 200,
      });
    },
    LONG_MS,
  );

  it(
    'is used for one of four concurrent descriptions of 78 MB, while the others are rejected and other requests are served',
    async () => {
      const body = Buffer.from(
        `{"name":"icons","description":"${'d'.repeat(78 * MIB)}","template":{}}`,
      );
      let peak = 0;
      let isOver = false;
      const watch = (async () => {
        while (!isOver) {
          peak = Math.max(peak, await residentBytes());
          expect(await isAlive()).toBe(true);
        }
      })();

      const replies = await Promise.all(Array.from({ length: 4 }, () => post('/v1/presets', body)));
      isOver = true;
      await watch;

      const statuses = replies.map(({ status }) => status).sort((a, b) => a - b);
      expect(statuses).toContain(422);
      expect(statuses).toContain(503);
      expect(statuses.filter((status) => status !== 422 && status !== 503)).toEqual([]);
      for (const { status, text, retryAfter } of replies) {
        expect(text.length).toBeLessThan(1500);
        if (status === 503) expect(retryAfter).toBe('1');
      }
      expect(peak).toBeLessThan(800 * MIB);
    },
    LONG_MS,
  );

  it('is refused to a second long body before it is sent, while short bodies are accepted', async () => {
    const holder = await openSocket(bridge.port);
    holder.write(`${head('/v1/presets', 75 * MIB)}{`);
    const refused = async () => {
      const { status } = await post('/v1/presets', Buffer.alloc(75 * MIB, ' '));
      expect(status).toBe(503);
    };
    await vi.waitFor(refused, { timeout: 10_000 });

    const short = await fetch(`${bridge.address}/v1/presets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'short', template: {} }),
    });

    expect(short.status).toBe(201);
    holder.destroy();
  });
});

describe('the time limits of a request', () => {
  it('end a stalled header and a stalled body', async () => {
    const quick = await startBridge({
      set: ['server.head_timeout_ms=300', 'server.body_idle_ms=300'],
    });
    const replyTo = async (bytes: string) => {
      const socket = await openSocket(quick.port);
      const closed = untilClosed(socket);
      socket.write(bytes);
      return parseReply(await closed);
    };

    expect((await replyTo('GET / HTTP/1.1\r\n')).status).toBe(408);
    expect((await replyTo(`${head('/v1/presets', 100)}{`)).status).toBe(408);
  });
});
