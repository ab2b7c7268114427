import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createReplyChecker } from '../../support/reply-checker.ts';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';
import { type EventReader, openEvents } from './event-reader.ts';
import { createJobClient, type JobClient } from './jobs-rig.ts';

const MAX_STREAMS = 64;
const SLOW = 'providers.sandbox.latency_ms=300';

let bridge: StartedBridge;
let client: JobClient;
let checker: ReturnType<typeof createReplyChecker>;

beforeAll(async () => {
  bridge = await startBridge({ set: [SLOW] });
  client = await createJobClient(bridge);
  const document = await (await fetch(`${bridge.address}/v1/openapi.json`)).json();
  checker = createReplyChecker(document as Record<string, unknown>);
});
// A test that fails leaves no stream open.
afterEach(() => {
  for (const reader of opened.splice(0)) reader.disconnect();
});
afterAll(cleanUp);

const opened: EventReader[] = [];

async function open(url: string, headers?: Readonly<Record<string, string>>) {
  const reader = await openEvents(url, headers);
  opened.push(reader);
  return reader;
}

const feedOf = ({ address }: StartedBridge, lastEventId?: string) =>
  open(
    `${address}/v1/jobs/events`,
    lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
  );
const follow = (id: string) => open(`${bridge.address}/v1/jobs/${id}/events`);

async function created(from: JobClient, body: object = {}): Promise<string> {
  return (await from.post({ prompt: 'a fox', ...body })).json.id;
}

function check(path: string, { status, headers, text }: EventReader): void {
  checker.check({ method: 'GET', path }, status, headers, text());
}

/** The last event of each job that a reader received, by job id. */
const known = (...readers: readonly EventReader[]) =>
  new Map(
    readers
      .flatMap((reader) => reader.events())
      .map(({ name, data }) =>
        name === 'removed' ? [data.id, 'removed'] : [data.job.id, data.job],
      ),
  );

/** Resolves when the reader has received the end of each of these jobs. */
async function untilEndsOf(ids: readonly string[], ...readers: readonly EventReader[]) {
  await readers.at(-1)?.until(() => {
    const jobs = known(...readers);
    return ids.every((id) => jobs.get(id)?.completed !== undefined);
  });
}

describe('GET /v1/jobs/{id}/events', () => {
  it('follows a job with its unfinished images to its end, and then ends', async () => {
    const id = await created(client, { parameters: { n: 2, partial_images: 1 } });
    const reader = await follow(id);
    await reader.until((events) => events.some(({ name }) => name === 'partial_image'));
    const partial = await client.get(`/v1/jobs/${id}/partial`);

    await reader.untilEnded();

    check(`/v1/jobs/${id}/events`, reader);
    const events = reader.events();
    const shown = events.find(({ name }) => name === 'partial_image')?.data;
    expect(partial.status).toBe(200);
    expect([shown.width, shown.height].every((edge) => edge > 0)).toBe(true);
    expect(events[0]).toMatchObject({ name: 'snapshot', data: { job: { id } } });
    expect(events.at(-1)).toMatchObject({ name: 'ended', data: { job: { status: 'succeeded' } } });
    expect(events.at(-1)?.data.job).toEqual((await client.get(`/v1/jobs/${id}`)).json);
    expect(events.map((event) => event.id)).toEqual(events.map((_, index) => String(index + 1)));
    expect(reader.end()).toBe('complete');
  });

  it('reports a cancellation, and the end to a late reader', async () => {
    const id = await created(client);
    const reader = await follow(id);
    await client.cancel(id);
    await reader.untilEnded();

    const late = await follow(id);
    await late.untilEnded();

    const ends = [reader, late].map((one) => one.events().at(-1));
    const end = { name: 'ended', data: { job: { id, status: 'cancelled' } } };
    expect(ends).toMatchObject([end, end]);
    expect(late.events().map(({ name }) => name)).toEqual(['snapshot', 'ended']);
  });

  it.each(['nothing', '01890000-0000-7000-8000-000000000001'])('replies 404 for %s', async (id) => {
    const reader = await follow(id);
    await reader.untilEnded();

    expect(reader.status).toBe(404);
    check(`/v1/jobs/${id}/events`, reader);
  });
});

describe('GET /v1/jobs/events', () => {
  it('replies at once even if nothing happens, and then reports each changed job', async () => {
    const reader = await feedOf(bridge);
    const atFirst = reader.events();
    const id = await created(client);
    await untilEndsOf([id], reader);
    await client.patch(id, { favorite: true });
    await reader.until((events) => events.at(-1)?.data.job.favorite);
    await client.patch(id, { deleted: true });
    await reader.until((events) => events.at(-1)?.data.job.deleted !== undefined);

    check('/v1/jobs/events', reader);
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    });
    expect(atFirst).toEqual([]);
    // A job that starts at once is perhaps never reported as queued.
    const statuses = new Set(reader.events().map(({ data }) => data.job.status));
    expect([...statuses].filter((status) => status !== 'queued')).toEqual(['running', 'succeeded']);
    expect(known(reader).get(id).artifacts).toHaveLength(1);
  });

  it('rejects other methods, and HEAD leaves no stream open', async () => {
    const { address } = bridge;
    const refused = await fetch(`${address}/v1/jobs/events`, { method: 'DELETE' });
    for (let count = 0; count <= MAX_STREAMS; count += 1) {
      const head = await fetch(`${address}/v1/jobs/events`, { method: 'HEAD' });
      expect(head.status).toBe(200);
    }

    expect(refused.status).toBe(405);
    expect(refused.headers.get('allow')).toBe('GET, HEAD');
  });

  it('rejects the 65th stream until another disconnects', async () => {
    const own = await startBridge();
    const readers = await Promise.all(Array.from({ length: MAX_STREAMS }, () => feedOf(own)));
    const refused = await feedOf(own);
    await refused.untilEnded();
    const id = await created(await createJobClient(own));
    await Promise.all(readers.map((reader) => untilEndsOf([id], reader)));

    readers[0]?.disconnect();
    await expect
      .poll(async () => {
        const next = await feedOf(own);
        next.disconnect();
        return next.status;
      })
      .toBe(200);

    expect(readers.map(({ status }) => status)).toEqual(Array(MAX_STREAMS).fill(200));
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    check('/v1/jobs/events', refused);
  });
});

describe('a reader of GET /v1/jobs/events that resumes', () => {
  it('receives every end after a crash, each job in its current state', {
    timeout: 60_000,
  }, async () => {
    const cwd = await freshFolder();
    const set = [SLOW, 'server.jobs.max_running=2'];
    const first = await startBridge({ cwd, set });
    const jobs = await createJobClient(first);
    const reader = await feedOf(first);
    const ids = await Promise.all(Array.from({ length: 8 }, () => created(jobs)));
    await reader.until(() => [...known(reader).values()].some((job) => job.status === 'succeeded'));
    // The reader reads no further. The bridge works for a moment and is killed in between.
    reader.disconnect();
    const lastId = reader.lastId();
    await jobs.until(ids[4] ?? '', ({ status }) => status === 'running');
    await first.end('SIGKILL');

    const second = await startBridge({ cwd, set });
    const resumed = await feedOf(second, lastId);
    await untilEndsOf(ids, reader, resumed);

    const listed = (await (await createJobClient(second)).get('/v1/jobs?limit=100')).json.items;
    const latest = known(reader, resumed);
    expect(listed.map((job: { id: string }) => latest.get(job.id))).toEqual(listed);
    const statuses = new Set(listed.map((job: { status: string }) => job.status));
    expect([...statuses].sort()).toEqual(['interrupted', 'succeeded']);
  });

  it('learns which jobs were removed', async () => {
    const cwd = await freshFolder();
    const first = await startBridge({ cwd });
    const jobs = await createJobClient(first);
    const reader = await feedOf(first);
    const ids = [await created(jobs), await created(jobs)];
    await untilEndsOf(ids, reader);
    await first.end();

    const second = await startBridge({ cwd, set: ['server.jobs.max_retained=1'] });
    const resumed = await feedOf(second, reader.lastId());
    await resumed.until((events) => events.some(({ name }) => name === 'removed'));

    const ended = (await (await createJobClient(second)).get('/v1/jobs')).json.items;
    expect(ended).toHaveLength(1);
    const [removed] = ids.filter((id) => id !== ended[0].id);
    expect(resumed.events()).toMatchObject([{ name: 'removed', data: { id: removed } }]);
  });

  it('is rejected with the id of another bridge', async () => {
    const other = await startBridge();
    const feed = await feedOf(other);
    await expect.poll(() => feed.lastId()).toBeDefined();

    const refused = await feedOf(bridge, feed.lastId());
    await refused.untilEnded();

    expect(refused.status).toBe(422);
    expect(JSON.parse(refused.text()).error.param).toBe('last-event-id');
    check('/v1/jobs/events', refused);
  });
});

describe('a bridge that stops', () => {
  it('ends its event streams properly, and ends the stream of a running job after the job', async () => {
    const stopping = await startBridge({ set: [SLOW] });
    const jobs = await createJobClient(stopping);
    const feed = await feedOf(stopping);
    const id = await created(jobs);
    const job = await open(`${stopping.address}/v1/jobs/${id}/events`);
    await job.until((events) => events.length > 1);

    const { code } = await stopping.end();
    await Promise.all([feed.untilEnded(), job.untilEnded()]);

    expect(code).toBe(0);
    expect([feed.end(), job.end()]).toEqual(['complete', 'complete']);
    expect(job.events().at(-1)).toMatchObject({ name: 'ended', data: { job: { id } } });
    expect(known(feed).get(id)).toMatchObject({ status: 'succeeded' });
  });
});
