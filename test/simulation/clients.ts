import { createHash } from 'node:crypto';
import { handler as getArtifact } from '../../handlers/artifacts/get-artifact.ts';
import { handler as createImage } from '../../handlers/images/create-image.ts';
import { handler as cancelJob } from '../../handlers/jobs/cancel-job.ts';
import { handler as createJob } from '../../handlers/jobs/create-job.ts';
import { handler as getJob } from '../../handlers/jobs/get-job.ts';
import { handler as listJobs } from '../../handlers/jobs/list-jobs.ts';
import { handler as retryJob } from '../../handlers/jobs/retry-job.ts';
import { handler as updateJob } from '../../handlers/jobs/update-job.ts';
import { handler as createImageGeneration } from '../../handlers/openai/create-image-generation.ts';
import { handler as updateQueue } from '../../handlers/queue/update-queue.ts';
import { handler as getUsage } from '../../handlers/usage/get-usage.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { Reply, Sent } from '../support/simulation/handler-call.ts';
import type { Bridge } from './bridge.ts';
import { type Action, bodyOf, TOKENS } from './schedule.ts';
import { modelOf, type Services } from './services.ts';
import type { VirtualClock } from './virtual-clock.ts';

type ActionOf<T extends Action['type']> = Extract<Action, { readonly type: T }>;

/** A job whose acceptance a client has received. */
export interface AcknowledgedJob {
  readonly id: string;
  readonly token: string;
  readonly action: string;
  /** The time of the acceptance on the monotonic clock. */
  readonly atMs: number;
}

interface Deps {
  readonly bridge: Pick<Bridge, 'call'> & {
    /** Returns the number of processes so far. */
    lives(): number;
  };
  readonly clock: VirtualClock;
  readonly services: Services;
  /** The images that clients send. */
  readonly images: readonly Buffer[];
  /** Returns true if a job that was accepted at this time of the monotonic clock may have been removed by now. */
  readonly mayBeRemoved: (atMs: number) => boolean;
  readonly log: (event: string) => void;
  readonly violate: (violation: string) => void;
}

const NATIVE = { method: 'POST' } as const;
const MAX_POLLS = 40;

export type Clients = ReturnType<typeof createClients>;

/** Creates the clients of the bridge, which check every reply that they receive. */
export function createClients(deps: Deps) {
  const { bridge, clock, services, images: inputs, mayBeRemoved, log, violate } = deps;
  const jobs = new Map<string, AcknowledgedJob>();
  const artifacts = new Map<string, string>();
  let requests = 0;
  let budgetRefusals = 0;

  /** Sends a request under a new id, and checks its reply. */
  async function send(
    handler: Parameters<Bridge['call']>[0],
    token: string,
    sent: Sent,
  ): Promise<Reply | undefined> {
    requests += 1;
    const requestId = `request-${requests}`;
    const headers = { 'x-request-id': requestId, ...sent.headers };
    const reply = await bridge.call(handler, token, { ...sent, headers });
    log(`${requestId} ${reply?.status ?? 'gets no reply'}`);
    if (reply) checkReply(requestId, reply);
    return reply;
  }

  function checkReply(requestId: string, { status, headers, json }: Reply): void {
    if (status < 400) return;
    const { retryable, code, details } = json.error.bridge_ext;
    if (details?.reason === 'budget') budgetRefusals += 1;
    if (code === 'internal') violate(`${requestId} is answered with an internal error`);
    if (headers['x-should-retry'] !== String(retryable)) violate(`${requestId}: x-should-retry`);
    if (retryable && isPerhapsSold(services, requestId)) {
      violate(`${requestId} is called retryable although something was perhaps sold`);
    }
  }

  const keyOf = ({ name, request }: ActionOf<'job' | 'images' | 'openai'>) =>
    request.isKeyed ? { 'idempotency-key': name } : {};

  /** Sends the requests of an action: the first one, and its repetitions. */
  async function sendAll(
    { request: { leavesAfterMs, repeatsAfterMs } }: ActionOf<'images' | 'openai'>,
    sendOnce: (nth: number, signal: AbortSignal) => Promise<Reply | undefined>,
  ): Promise<readonly (Reply | undefined)[]> {
    const client = new AbortController();
    if (leavesAfterMs !== undefined) {
      clock.after(leavesAfterMs, () =>
        client.abort(new BridgeError('cancelled', 'the client has disconnected')),
      );
    }
    const stays = new AbortController().signal;
    return Promise.all([
      sendOnce(0, client.signal),
      ...repeatsAfterMs.map((ms, nth) => clock.sleep(ms).then(() => sendOnce(nth + 1, stays))),
    ]);
  }

  async function images(action: ActionOf<'images'>): Promise<void> {
    const { name, request, form, isAsync } = action;
    const lives = bridge.lives();
    const body = bodyOf(name, request, form, inputs);
    const headers = { ...keyOf(action), ...(isAsync ? { prefer: 'respond-async, wait=20' } : {}) };
    const replies = await sendAll(action, (_, signal) =>
      send(createImage, request.token, { ...NATIVE, headers, body, signal }),
    );
    for (const reply of replies) {
      if (reply?.status === 202) acknowledge(name, request.token, reply);
    }
    const made = replies.flatMap((reply) => (reply?.status === 200 ? [reply.json] : []));
    for (const { data = [], failures = [] } of made) {
      noteArtifacts(request.token, data);
      checkOutputs(name, request.n, data, failures);
    }
    // The outcome of a request with a key is kept as long as the process runs.
    if (bridge.lives() === lives) checkEqual(name, made);
  }

  async function openai(action: ActionOf<'openai'>): Promise<void> {
    const { name, request, retryCount } = action;
    const [route = ''] = request.routes;
    const body = { prompt: name, n: request.n, model: modelOf({ name: route }) };
    await sendAll(action, (nth, signal) => {
      const headers = retryCount ? { 'x-stainless-retry-count': String(nth) } : keyOf(action);
      return send(createImageGeneration, request.token, { ...NATIVE, headers, body, signal });
    });
  }

  function noteArtifacts(token: string, data: readonly { readonly id?: string }[]): void {
    for (const { id } of data) if (id !== undefined) artifacts.set(id, token);
  }

  function checkOutputs(
    name: string,
    n: number,
    data: readonly { readonly index: number }[],
    failures: readonly { readonly index: number }[],
  ): void {
    const indices = [...data, ...failures].map(({ index }) => index).sort();
    const all = Array.from({ length: n }, (_, index) => index);
    if (indices.join() !== all.join()) violate(`the outputs of ${name} are ${indices.join()}`);
  }

  function checkEqual(name: string, made: readonly { readonly data: readonly object[] }[]): void {
    const [first, ...others] = made.map(({ data }) => JSON.stringify(data));
    if (others.some((other) => other !== first)) violate(`the repetitions of ${name} differ`);
  }

  function acknowledge(action: string, token: string, reply: Reply): AcknowledgedJob {
    const { id } = reply.json;
    const known = jobs.get(id);
    if (known && known.token !== token) violate(`job ${id} belongs to two tokens`);
    const job = known ?? { id, token, action, atMs: clock.monotonicMs() };
    jobs.set(id, job);
    return job;
  }

  async function job(action: ActionOf<'job'>): Promise<void> {
    const { name, request, webhookEvents: events, priority } = action;
    const webhook = events && { webhook: { url: `https://hooks.example/${name}`, events } };
    const body = { ...bodyOf(name, request, 'artifact', inputs), ...webhook, priority };
    const headers = keyOf(action);
    async function post(): Promise<AcknowledgedJob | undefined> {
      const reply = await send(createJob, request.token, { ...NATIVE, headers, body });
      return reply?.status === 202 ? acknowledge(name, request.token, reply) : undefined;
    }
    const answers = await Promise.all([
      post(),
      ...request.repeatsAfterMs.map((ms) => clock.sleep(ms).then(post)),
    ]);
    const accepted = answers.filter((job) => job !== undefined);
    // The key is removed with its job.
    const mayDiffer = accepted.some(({ atMs }) => mayBeRemoved(atMs));
    if (new Set(accepted.map(({ id }) => id)).size > 1 && request.isKeyed && !mayDiffer) {
      violate(`the key of ${name} has several jobs`);
    }
    const [first] = accepted;
    if (first) await followJob(action, first);
  }

  async function followJob(action: ActionOf<'job'>, { id, token }: AcknowledgedJob): Promise<void> {
    const { request, inFlight, isRetried, mark, name } = action;
    const leaving =
      request.leavesAfterMs === undefined ? undefined : clock.sleep(request.leavesAfterMs);
    const cancelling = leaving?.then(() =>
      send(cancelJob, token, { method: 'DELETE', path: { id }, query: `in_flight=${inFlight}` }),
    );
    const ended = await untilEnded(id, token);
    await cancelling;
    if (!ended) return;
    noteArtifacts(token, (ended.result ?? ended.partial_result)?.data ?? []);
    if (ended.result) {
      checkOutputs(
        name,
        ended.request.parameters.n,
        ended.result.data,
        ended.result.failures ?? [],
      );
    }
    if (mark) {
      const body = { [mark]: true };
      await send(updateJob, token, { method: 'PATCH', path: { id }, body });
    }
    if (!isRetried || ended.status === 'succeeded') return;
    const headers = { 'idempotency-key': `${name} again` };
    const retried = await send(retryJob, token, { ...NATIVE, path: { id }, headers });
    if (retried?.status === 202) {
      const { id: next } = acknowledge(name, token, retried);
      await untilEnded(next, token);
    }
  }

  /** Polls a job. Resolves with the ended job, or with undefined if the client gives up. */
  async function untilEnded(id: string, token: string): Promise<Reply['json'] | undefined> {
    for (let polls = 0; polls < MAX_POLLS; polls += 1) {
      const reply = await send(getJob, token, { path: { id }, query: 'wait_ms=30000' });
      if (reply?.status === 404) return undefined;
      if (reply?.status === 200 && reply.json.completed !== undefined) return reply.json;
      if (reply?.status !== 200) await clock.sleep(5000);
    }
    return undefined;
  }

  async function intrude({ token }: ActionOf<'intrude'>): Promise<void> {
    const others = [...jobs.values()].filter((it) => it.token !== token).slice(-5);
    for (const { id } of others) {
      await expectUnknown(getJob, token, { path: { id } });
      await expectUnknown(cancelJob, token, { method: 'DELETE', path: { id } });
      await expectUnknown(retryJob, token, { method: 'POST', path: { id } });
    }
    const foreign = [...artifacts].filter(([, owner]) => owner !== token).slice(-5);
    for (const [id] of foreign) await expectUnknown(getArtifact, token, { path: { id } });
    const mine = [...artifacts].filter(([, owner]) => owner === token).slice(-5);
    for (const [id] of mine) {
      const reply = await send(getArtifact, token, { path: { id } });
      if (reply?.status === 200) checkContent(id, reply);
    }
    const listed = await send(listJobs, token, { query: 'limit=100&visibility=all' });
    for (const { id } of listed?.json.items ?? []) {
      const owner = jobs.get(id)?.token ?? token;
      if (owner !== token) violate(`the list of ${token} has a job of ${owner}`);
    }
    await send(getUsage, token, { query: 'days=2' });
  }

  function checkContent(id: string, { headers, json: bytes }: Reply): void {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (headers['etag'] !== `"${sha256}"`) violate(`the artifact ${id} has other bytes`);
  }

  async function expectUnknown(
    handler: Parameters<Bridge['call']>[0],
    token: string,
    sent: Sent,
  ): Promise<void> {
    const reply = await send(handler, token, sent);
    // 401: the token was removed. 503: a store fails.
    if (reply && ![401, 404, 503].includes(reply.status)) {
      violate(`${token} is answered with ${reply.status} for what belongs to another token`);
    }
  }

  async function pause({ forMs }: ActionOf<'pause'>): Promise<void> {
    const [{ name: token }] = TOKENS;
    await send(updateQueue, token, { method: 'PATCH', body: { paused: true } });
    await clock.sleep(forMs);
    await resume();
  }

  async function resume(): Promise<void> {
    const [{ name: token }] = TOKENS;
    for (;;) {
      const reply = await send(updateQueue, token, { method: 'PATCH', body: { paused: false } });
      if (reply?.status === 200) return;
      await clock.sleep(1000);
    }
  }

  return {
    jobs: jobs as ReadonlyMap<string, AcknowledgedJob>,
    /** Returns the number of replies that refuse a request beyond the budget of its token. */
    budgetRefusals: () => budgetRefusals,
    images,
    openai,
    job,
    intrude,
    pause,
  };
}

/** Returns true if a call for this request sold something, or perhaps did. */
export function isPerhapsSold({ sales }: Pick<Services, 'sales'>, requestId: string): boolean {
  return sales.some(
    (sale) => sale.requestId === requestId && sale.isDispatched && (sale.sold > 0 || !sale.isKnown),
  );
}
