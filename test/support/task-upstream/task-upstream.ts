import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { createImages } from '../upstream/images.ts';
import { readBody } from '../upstream/read-body.ts';
import { Refusal } from '../upstream/refusal.ts';
import type { Behaviour, ReadFault } from './behaviour.ts';
import type { EmulatedService, EmulatedTask, Order, Phase, Reply } from './emulated-service.ts';

interface Options {
  readonly service: EmulatedService;
  readonly key?: string;
  readonly imageBytes?: number;
}

/** One accepted task, as the service bills it. */
export interface LedgerRow {
  readonly id: string;
  readonly prompt: string;
  readonly phase: Phase;
  /** The charge in units of 10^-10 USD. */
  readonly charge: bigint;
}

interface RunningTask {
  readonly id: string;
  readonly order: Order;
  readonly behaviour: Behaviour;
  phase: Phase;
  waits: number;
  reads: ReadFault[];
  cancels: number;
  /** The number of the client that has cancelled the task last. */
  cancelledBy?: number;
}

const HTML = '<html><body><h1>502 Bad Gateway</h1></body></html>';

export type TaskUpstream = Awaited<ReturnType<typeof createTaskUpstream>>;

/** Starts a strict emulator of one service with tasks on 127.0.0.1, and a second server that must never be called. */
export async function createTaskUpstream({ service, key = 'a-made-up-key', ...options }: Options) {
  const { imageBytes = 20_000 } = options;
  const ids = createIds(systemClock.nowMs);
  const images = createImages();
  const tasks = new Map<string, RunningTask>();
  const behaviours: Behaviour[] = [];
  const byPrompt = new Map<string, Behaviour>();
  const violations: string[] = [];
  const submissions: Order[] = [];
  let keys: ReadonlySet<string> = new Set([key]);
  let submitted = 0;
  let client = 0;

  const server = await open((incoming, response) => void handle(incoming, response));
  const foreign = await open(({ url }, response) => {
    // The balancer of another test may still check the health of a replica that had this port.
    if (url !== '/health/ready') violations.push(`a request to a foreign host: ${url}`);
    response.end('{}');
  });

  function view(task: RunningTask): EmulatedTask {
    const { id, order, behaviour, phase } = task;
    const { poll, ...others } = service.paths(id, order);
    const absolute = Object.entries(others).map(([name, path]) => [name, server.origin + path]);
    const count = phase === 'done' ? (behaviour.count ?? order.count) : 0;
    return {
      id,
      order,
      phase,
      origin: server.origin,
      urls: {
        ...Object.fromEntries(absolute),
        poll: (behaviour.isPollForeign ? foreign.origin : server.origin) + poll,
      },
      images: Array.from({ length: count }, (_, index) => imageUrl(task, index)),
      charge: chargeOf(task),
    };
  }

  function imageUrl({ id, behaviour }: RunningTask, index: number): string {
    if (behaviour.image === 'foreign') return `https://images.example/files/${id}/${index}`;
    if (behaviour.image === 'private') return `https://127.0.0.1/files/${id}/${index}`;
    return `${server.origin}/files/${id}/${index}`;
  }

  function chargeOf({ order, phase }: RunningTask): bigint {
    const isFree = phase === 'aborted' || (phase === 'failed' && service.failsFree);
    return isFree ? 0n : service.charge(order);
  }

  function checkKey({ headers }: IncomingMessage): void {
    const { name, prefix } = service.keyHeader;
    const sent = headers[name];
    const isKnown = typeof sent === 'string' && sent.startsWith(prefix);
    if (isKnown && keys.has(sent.slice(prefix.length))) return;
    throw new Refusal({ status: 401, code: 'unauthorized', message: 'no such key' });
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = incoming;
    try {
      if (url.startsWith('/files/')) return await sendFile(incoming, response);
      const path = url.split('?')[0] ?? '';
      if (method === 'POST' && service.isSubmission(path)) {
        return await submit(incoming, path, response);
      }
      if (service.billing && method === 'GET' && path === service.billing.path) {
        checkKey(incoming);
        return sendBills(service.billing, new URL(url, server.origin), response);
      }
      const listing = method === 'GET' ? service.catalogue?.[path] : undefined;
      if (listing) {
        checkKey(incoming);
        return send(response, listing(new URL(url, server.origin).searchParams));
      }
      const found = [...tasks.values()].find((task) => routeOf(task, url) !== undefined);
      const route = found && routeOf(found, url);
      if (found === undefined || route === undefined) {
        violations.push(`${method} ${path} is not a route of a task`);
        throw new Refusal({ status: 404, code: 'not_found', message: 'not found' });
      }
      checkKey(incoming);
      read(found, route, method, response);
    } catch (thrown) {
      // The client may disconnect, or be killed, while it sends a request.
      if (incoming.errored) return void response.destroy();
      if (!(thrown instanceof Refusal)) {
        violations.push(`the emulator failed: ${thrown}`);
        response.destroy();
        return;
      }
      send(response, { status: thrown.status, json: service.errorBody(thrown) });
    }
  }

  function sendBills(
    { reply }: NonNullable<EmulatedService['billing']>,
    { searchParams }: URL,
    response: ServerResponse,
  ): void {
    const ended = [...tasks.values()].filter((task) => !isUnfinished(task));
    send(response, reply(searchParams, ended.map(view)));
  }

  function routeOf({ id, order }: RunningTask, url: string) {
    const { poll, result, cancel } = service.paths(id, order);
    if (url === poll) return 'poll';
    if (url === result) return 'result';
    return url === cancel ? 'cancel' : undefined;
  }

  async function submit(incoming: IncomingMessage, path: string, response: ServerResponse) {
    submitted += 1;
    const body = await readBody(incoming);
    checkKey(incoming);
    const order = await service.check({ path, headers: incoming.headers, body });
    const behaviour = byPrompt.get(order.prompt) ?? behaviours.shift() ?? {};
    submissions.push(order);
    const { submission } = behaviour;
    if (submission === 'cut') return void response.destroy();
    if (submission === 'html_502') return html(response, 502);
    if (submission === 'rate_limited') {
      const refusal = new Refusal({ status: 429, code: 'rate_limited', message: 'too many' });
      const headers = { 'retry-after': '7' };
      return send(response, { status: 429, headers, json: service.errorBody(refusal) });
    }
    if (submission === 'server_error') {
      throw new Refusal({ status: 503, code: 'unavailable', message: 'try again' });
    }
    if (submission === 'unknown_model') {
      throw new Refusal({ status: 404, code: 'not_found', message: 'no such model' });
    }
    const task = begin(order, behaviour);
    if (submission === 'made_cut') return void response.destroy();
    if (submission === 'made_html_502') return html(response, 502);
    if (submission === 'made_html_200') return html(response, 200);
    const reply = service.accepted(view(task));
    if (submission === 'made_cut_in_reply') {
      response.writeHead(reply.status, {
        'content-type': 'application/json',
        'content-length': 999,
      });
      response.write('{"id":');
      return void setImmediate(() => response.destroy());
    }
    return send(response, reply);
  }

  function begin(order: Order, behaviour: Behaviour): RunningTask {
    const { waits = 1, waiting = 'running', reads = [] } = behaviour;
    const task: RunningTask = {
      id: ids.newUuid(),
      order,
      behaviour,
      phase: waits === 0 ? (behaviour.end ?? 'done') : waiting,
      waits,
      reads: [...reads],
      cancels: 0,
    };
    tasks.set(task.id, task);
    return task;
  }

  function read(task: RunningTask, route: string, method: string, response: ServerResponse): void {
    if (method !== (route === 'cancel' ? service.cancel?.method : 'GET')) {
      violations.push(`${method} is not the method of ${route}`);
      throw new Refusal({ status: 405, code: 'method', message: 'not allowed' });
    }
    const fault = route === 'cancel' ? undefined : task.reads.shift();
    if (route === 'cancel') cancel(task, response);
    else if (fault !== undefined) sendFault(fault, response);
    else sendState(task, route, response);
  }

  function sendState(task: RunningTask, route: string, response: ServerResponse): void {
    if (route === 'poll') {
      if (isUnfinished(task) && task.waits <= 0) task.phase = task.behaviour.end ?? 'done';
      task.waits -= 1;
    }
    const reply = route === 'result' ? service.result?.(view(task)) : service.polled(view(task));
    if (reply) send(response, reply);
  }

  function isUnfinished({ phase }: RunningTask): boolean {
    return ['queued', 'running', 'unheard_of'].includes(phase);
  }

  function cancel(task: RunningTask, response: ServerResponse): void {
    task.cancels += 1;
    if (task.cancelledBy === client) violations.push('a task was cancelled twice');
    task.cancelledBy = client;
    const reply = service.cancel?.reply(view(task));
    if (isUnfinished(task)) task.phase = task.phase === 'queued' ? 'aborted' : 'canceled';
    if (reply) send(response, reply);
  }

  function sendFault(fault: ReadFault, response: ServerResponse): void {
    if (fault === 'cut') {
      response.destroy();
      return;
    }
    if (fault === 'html_502' || fault === 'html_200') {
      html(response, fault === 'html_502' ? 502 : 200);
      return;
    }
    const status = fault === 'rate_limited' ? 429 : 500;
    const refusal = new Refusal({ status, code: fault, message: 'try again' });
    send(response, { status, json: service.errorBody(refusal) });
  }

  async function sendFile(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', headers } = incoming;
    if (headers[service.keyHeader.name] !== undefined) {
      violations.push('the key was sent to a result host');
    }
    const [, , id = '', index = ''] = url.split('/');
    const task = tasks.get(id);
    if (!task) throw new Refusal({ status: 404, code: 'not_found', message: 'no such file' });
    const { image } = task.behaviour;
    if (image === 'expired')
      throw new Refusal({ status: 403, code: 'expired', message: 'expired' });
    if (image === 'redirected_out') return redirect(response, `${foreign.origin}${url}`);
    if (image === 'redirected' && !url.endsWith('/moved'))
      return redirect(response, `${url}/moved`);
    const { width, height, format } = task.order;
    const order = { width, height, format, hasAlpha: false, bytes: imageBytes, variant: index };
    const { bytes } = await images.generate(order);
    const sent = image === 'oversize' ? Buffer.concat([bytes, Buffer.alloc(4_000_000)]) : bytes;
    response.writeHead(200, { 'content-type': `image/${format}` });
    response.end(sent);
  }

  return {
    url: server.origin,
    key,
    /** Adds the behaviour of the next submission that is valid. */
    next: (behaviour: Behaviour) => void behaviours.push(behaviour),
    /** Sets the behaviour of all submissions with this prompt. */
    forPrompt: (prompt: string, behaviour: Behaviour) => void byPrompt.set(prompt, behaviour),
    /** Replaces the keys of the account. */
    setKeys: (...accepted: readonly string[]) => {
      keys = new Set(accepted);
    },
    /** Number of submissions, valid or not. */
    submitted: () => submitted,
    /** The valid submissions in their order. */
    orders: (): readonly Order[] => submissions,
    /** Requests that a correct client never sends. */
    violations: (): readonly string[] => violations,
    /** Begins the requests of a client that replaces a killed one, and that may cancel the tasks of that client again. */
    replaceClient: () => {
      client += 1;
    },
    /** Number of requests to cancel a task. */
    cancels: () => [...tasks.values()].reduce((sum, task) => sum + task.cancels, 0),
    ledger: (): readonly LedgerRow[] =>
      [...tasks.values()].map((task) => ({
        id: task.id,
        prompt: task.order.prompt,
        phase: task.phase,
        charge: chargeOf(task),
      })),
    async close(): Promise<void> {
      await server.close();
      await foreign.close();
    },
  };
}

function send(response: ServerResponse, { status, headers, json }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(json));
}

function html(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/html' });
  response.end(HTML);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location });
  response.end();
}

async function open(handler: (incoming: IncomingMessage, response: ServerResponse) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((incoming, response) => {
    // A disconnect of a client is not a failure of the server.
    response.on('error', () => undefined);
    handler(incoming, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
