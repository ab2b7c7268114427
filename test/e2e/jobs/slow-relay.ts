import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';

/** One task that the relay has accepted. */
export interface SlowTask {
  readonly prompt: string;
  /** The SHA-256 of the image of the task. Each task has an image of its own. */
  readonly sha256: string;
  /** True if the state of the task was read, so its ticket was stored before. */
  isPolled: boolean;
}

interface Made extends SlowTask {
  readonly id: number;
  readonly png: Buffer;
  /** The time when the task has ended, in Unix milliseconds. */
  readonly readyMs: number;
}

interface Options {
  /** Returns the time that a task takes, in milliseconds. */
  readonly taskMs: () => number;
  /** Returns the time between the acceptance of a task and the reply, in milliseconds. */
  readonly replyMs: () => number;
}

/** Starts a relay (service `relay` of the kind `task`) whose tasks take time. Each task makes one image. */
export async function startSlowRelay({ taskMs, replyMs }: Options) {
  const tasks: Made[] = [];
  let accepted = 0;

  async function accept(incoming: IncomingMessage): Promise<Reply> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { prompt, n = 1 } = JSON.parse(Buffer.concat(chunks).toString());
    if (n !== 1) throw new Error('a task was asked for more than one image');
    const id = accepted;
    accepted += 1;
    const png = await drawn(id);
    const sha256 = createHash('sha256').update(png).digest('hex');
    tasks.push({ id, prompt, sha256, png, isPolled: false, readyMs: Date.now() + taskMs() });
    await delay(replyMs());
    return json(202, { task_id: `task-${id}`, status: 'queued', poll_url: `/tasks/${id}` });
  }

  function stateOf(id: number): Reply {
    const task = tasks.find((made) => made.id === id);
    if (!task) return json(404, { error: { message: 'no such task' } });
    task.isPolled = true;
    if (Date.now() < task.readyMs) return json(200, { status: 'processing' });
    return json(200, {
      status: 'completed',
      result: { data: [{ url: `${origin}/images/${id}` }] },
    });
  }

  const imageOf = (id: number) => tasks.find((made) => made.id === id)?.png ?? Buffer.alloc(0);

  async function replyTo(incoming: IncomingMessage): Promise<Reply> {
    const [, kind, id = ''] = (incoming.url ?? '').split('/');
    if (incoming.method === 'POST') return accept(incoming);
    if (kind === 'tasks') return stateOf(Number(id));
    return { status: 200, type: 'image/png', body: imageOf(Number(id)) };
  }

  const server = createServer((incoming, outgoing) => {
    // A connection that the killed program has left is no failure of the relay.
    replyTo(incoming).then(
      (reply) => send(outgoing, reply),
      () => outgoing.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const named = 'providers.task.slow';

  return {
    tasks: tasks as readonly SlowTask[],
    /** The settings of a provider `slow` that uses the relay. */
    settings: [
      `${named}.service=relay`,
      `${named}.base_url=${origin}`,
      `${named}.models=["gpt-image-2"]`,
      `${named}.image_model=gpt-image-2`,
      'default_provider=slow',
    ],
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      await once(server, 'close').catch(() => {});
    },
  };
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

function json(status: number, value: object): Reply {
  return { status, type: 'application/json', body: Buffer.from(JSON.stringify(value)) };
}

function send(outgoing: ServerResponse, { status, type, body }: Reply): void {
  outgoing.writeHead(status, { 'content-type': type, 'content-length': body.length }).end(body);
}

function drawn(id: number): Promise<Buffer> {
  const background = { r: id % 256, g: (id >> 8) % 256, b: 77 };
  return sharp({ create: { width: 16, height: 16, channels: 3, background } })
    .png()
    .toBuffer();
}
