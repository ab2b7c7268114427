import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handler as cancelJob } from '../../handlers/jobs/cancel-job.ts';
import { handler as createJob } from '../../handlers/jobs/create-job.ts';
import { handler as getJob } from '../../handlers/jobs/get-job.ts';
import { handler as getJobPartial } from '../../handlers/jobs/get-job-partial.ts';
import { handler as listJobs } from '../../handlers/jobs/list-jobs.ts';
import { handler as retryJob } from '../../handlers/jobs/retry-job.ts';
import { handler as streamJob } from '../../handlers/jobs/stream-job.ts';
import { handler as streamJobs } from '../../handlers/jobs/stream-jobs.ts';
import { handler as updateJob } from '../../handlers/jobs/update-job.ts';
import { type JobRig, openJobRig, SCOPE, until } from '../lib/jobs/job-rig.ts';
import { parseEventText } from '../support/event-text.ts';
import { invoke } from '../support/invoke.ts';

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig();
});
afterEach(() => rig.close());

const create = (body: unknown, headers: Record<string, string> = {}) =>
  invoke(createJob, { method: 'POST', path: '/v1/jobs', body, headers }, rig);
const at = (id: string) => ({ pathParameters: { id } });
const read = (id: string, query = '') => invoke(getJob, { ...at(id), query }, rig);
const list = (query: string) => invoke(listJobs, { query }, rig);
const patch = (id: string, body: unknown) =>
  invoke(updateJob, { method: 'PATCH', ...at(id), body }, rig);

async function submitted(): Promise<string> {
  return (await rig.submit()).job.id;
}

describe('createJob', () => {
  it('replies with 202, the job and its URL for any response format', async () => {
    const { status, headers, json } = await create({
      prompt: 'a fox',
      output: { response_format: 'b64_json', filename: 'fox' },
    });

    expect(status).toBe(202);
    const output = { response_format: 'artifact', filename: 'fox' };
    expect(json).toMatchObject({ status: 'queued', request: { prompt: 'a fox', output } });
    expect(headers['location']).toMatch(/^\/v1\/jobs\/[0-9a-f-]{36}$/);
    expect(headers).not.toHaveProperty('idempotent-replayed');
  });

  it('marks a repeated reply with idempotent-replayed', async () => {
    const key = { 'idempotency-key': 'one' };
    const first = await create({ prompt: 'a fox' }, key);

    const second = await create({ prompt: 'a fox' }, key);

    expect(second.status).toBe(202);
    expect(second.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect(second.json).toEqual(first.json);
  });

  it.each([
    ['a blank prompt', { prompt: ' ' }, 'prompt'],
    ['an unknown field', { prompt: 'a fox', colour: 'red' }, 'colour'],
    ['two keys', { prompt: 'a fox', idempotency_key: 'two' }, 'idempotency_key'],
    ['an output that is none', { prompt: 'a fox', output: 1 }, 'output'],
    ['a body that is no object', 'a fox', null],
  ])('rejects %s', async (_name, body, param) => {
    const reply = await create(body, { 'idempotency-key': 'one' });

    expect(reply.status).toBe(422);
    if (param !== null) expect(reply.json).toMatchObject({ error: { param } });
  });
});

describe('labels', () => {
  it('are stored with a job, filter the list, and are replaced by a change', async () => {
    const { json: created } = await create({ prompt: 'a fox', labels: ['cats', ' Frühling '] });
    await submitted();

    const found = await list(`label=${encodeURIComponent('Frühling')}`);
    const changed = await patch(String(Object(created).id), { labels: ['winter'] });
    const gone = await list('label=cats');
    const shown = await list('label=winter&total=true');

    expect(created).toMatchObject({ labels: ['cats', 'Frühling'] });
    expect(found.json).toMatchObject({ items: [{ labels: ['cats', 'Frühling'] }] });
    expect(changed).toMatchObject({ status: 200, json: { labels: ['winter'] } });
    expect(gone.json).toEqual({ items: [] });
    expect(shown.json).toMatchObject({
      items: [{ id: Object(created).id, labels: ['winter'] }],
      total: { count: 1, at_least: false },
    });
  });

  it('are absent from a job that has none', async () => {
    expect((await read(await submitted())).json).not.toHaveProperty('labels');
  });

  it('do not belong to the request that a key identifies', async () => {
    const key = { 'idempotency-key': 'one' };
    const first = await create({ prompt: 'a fox', labels: ['cats'] }, key);

    const second = await create({ prompt: 'a fox', labels: ['dogs'] }, key);

    expect(second.json).toEqual(first.json);
  });

  it.each([
    ['labels[0]', { labels: [' '] }],
    ['labels', { labels: 'cats' }],
  ])('are rejected at the field %s', async (param, body) => {
    const reply = await create({ prompt: 'a fox', ...body });

    expect(reply.status).toBe(422);
    expect(reply.json).toMatchObject({ error: { param } });
  });
});

describe('facts of the request', () => {
  it('filter the list, and are rejected at their field', async () => {
    const { json: made } = await create({ prompt: 'a fox' });
    const { id, created } = made as { readonly id: string; readonly created: number };
    const ids = async (query: string) => {
      const { json } = await list(query);
      return (json as { readonly items: readonly { readonly id: string }[] }).items.map(
        (item) => item.id,
      );
    };

    expect(await ids('size=1:1&operation=generate')).toEqual([id]);
    expect(await ids('size=3:2')).toEqual([]);
    expect(await ids('operation=edit')).toEqual([]);
    expect(await ids('model=unknown')).toEqual([]);
    expect(await ids(`created_after=${created}`)).toEqual([id]);
    expect(await ids(`created_before=${created}`)).toEqual([]);
    expect((await list('size=wide')).json).toMatchObject({ error: { param: 'size' } });
  });
});

describe('groups', () => {
  const group = { id: 'lake-1', row: 2, column: 3 };

  it('are stored with a job, are in lists, and filter the list', async () => {
    const { json: created } = await create({ prompt: 'a fox', group });
    await submitted();

    const found = await list('group=lake-1&total=true');
    const other = await list('group=lake-2');

    expect(created).toMatchObject({ group });
    expect(found.json).toMatchObject({ items: [{ group }], total: { count: 1 } });
    expect(other.json).toEqual({ items: [] });
  });

  it('do not belong to the request that a key identifies', async () => {
    const key = { 'idempotency-key': 'one' };
    const first = await create({ prompt: 'a fox', group }, key);

    const second = await create({ prompt: 'a fox', group: { ...group, row: 4 } }, key);

    expect(second.json).toEqual(first.json);
  });

  it.each([
    ['group.id', { ...group, id: 'a b' }],
    ['group.id', { ...group, id: 'x'.repeat(65) }],
    ['group.row', { ...group, row: 1000 }],
    ['group.row', { ...group, row: -1 }],
    ['group.column', { ...group, column: 0.5 }],
    ['group.column', { id: 'lake-1', row: 0 }],
    ['group.layer', { ...group, layer: 1 }],
  ])('are rejected at the field %s', async (param, sent) => {
    const reply = await create({ prompt: 'a fox', group: sent });

    expect(reply.status).toBe(422);
    expect(reply.json).toMatchObject({ error: { param } });
  });
});

describe('getJob', () => {
  it('replies at once without a wait', async () => {
    const id = await submitted();

    expect((await read(id)).json).toMatchObject({ id, status: 'queued' });
    expect(rig.clock.waiting).toBe(0);
  });

  it('waits for the requested time', async () => {
    const id = await submitted();
    const reply = read(id, 'wait_ms=30000');
    await until(() => rig.clock.waiting === 1);

    await rig.jobs.cancel(SCOPE, id);

    expect((await reply).json).toMatchObject({ status: 'cancelled' });
  });

  it.each(['wait_ms=30001', 'wait_ms=-1', 'wait_ms=1.5', 'wait_ms=soon', 'wait=5'])(
    'refuses ?%s',
    async (query) => {
      expect((await read(await submitted(), query)).status).toBe(422);
    },
  );

  it('replies with 404 for an unknown job', async () => {
    const reply = await read('nothing', 'wait_ms=30000');

    expect(reply.status).toBe(404);
    expect(reply.json).toMatchObject({ error: { code: 'not_found', param: null } });
  });
});

describe('cancelJob', () => {
  it('replies with the updated job', async () => {
    const id = await submitted();

    const { status, json } = await invoke(cancelJob, { method: 'DELETE', ...at(id) }, rig);

    expect(status).toBe(200);
    const error = { code: 'cancelled', retryable: false, suggestions: expect.any(Array) };
    expect(json).toMatchObject({ id, status: 'cancelled', cancel_requested: true, error });
  });
});

describe('retryJob', () => {
  const retry = (id: string, headers: Record<string, string> = {}) =>
    invoke(retryJob, { method: 'POST', ...at(id), headers }, rig);

  it('replies with 202, the new job and its URL', async () => {
    const id = await submitted();
    await rig.jobs.cancel(SCOPE, id);

    const { status, headers, json } = await retry(id, { 'idempotency-key': 'one' });
    const second = await retry(id, { 'idempotency-key': 'one' });

    expect(status).toBe(202);
    expect(json).toMatchObject({ status: 'queued', retry_of: id });
    expect(headers['location']).toBe(`/v1/jobs/${Object(json).id}`);
    expect(headers).not.toHaveProperty('idempotent-replayed');
    expect(second.json).toEqual(json);
    expect(second.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  });

  it('rejects a job that has not ended', async () => {
    const reply = await retry(await submitted());

    expect(reply.status).toBe(409);
    expect(reply.json).toMatchObject({ error: { code: 'job_not_terminal' } });
  });
});

describe('updateJob', () => {
  it('rejects to hide a job that has not ended', async () => {
    const reply = await patch(await submitted(), { deleted: true });

    expect(reply.status).toBe(409);
    expect(reply.json).toMatchObject({ error: { code: 'job_not_terminal' } });
  });

  it.each([[{}], [{ favorite: 1 }], [{ deleted: null }], [{ title: 'x' }], [[]]])(
    'refuses %j',
    async (body) => {
      expect((await patch(await submitted(), body)).status).toBe(422);
    },
  );
});

describe('getJobPartial', () => {
  it('replies with 204 without a body if there is no partial image', async () => {
    const reply = await invoke(getJobPartial, at(await submitted()), rig);

    expect(reply.status).toBe(204);
    expect(reply.bytes).toHaveLength(0);
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  it('replies with the latest image and its index', async () => {
    const id = await submitted();
    rig.work();
    const run = await rig.run(0);
    run.emit({
      type: 'partial_image',
      index: 0,
      partialIndex: 2,
      image: {
        bytes: Buffer.from('pixels'),
        format: 'webp',
        width: 1,
        height: 1,
        orientation: 1,
        alpha: 'none',
      },
    });
    await until(async () => (await rig.jobs.partial(SCOPE, id)) !== undefined);

    const reply = await invoke(getJobPartial, at(id), rig);

    expect(reply.status).toBe(200);
    expect(reply.bytes.toString()).toBe('pixels');
    expect(reply.headers).toMatchObject({
      'content-type': 'image/webp',
      'content-length': '6',
      'x-partial-index': '2',
      'cache-control': 'no-store',
    });
  });
});

describe('listJobs', () => {
  it('replies with a page of summaries', async () => {
    const ids = [await submitted(), await submitted()];

    const { status, json } = await list('limit=1');

    expect(status).toBe(200);
    expect(json).toMatchObject({
      items: [{ id: ids[1], prompt: 'a boat', size: '1024x1024', inputs: 0, artifacts: [] }],
    });
    expect(json).toHaveProperty('next_cursor');
  });

  it('begins with the oldest job, and continues with newer jobs, if this order is requested', async () => {
    const ids = [await submitted(), await submitted(), await submitted()];
    const query = 'order=oldest&limit=2&created_after=0';

    const first = Object((await list(query)).json);
    const second = Object((await list(`${query}&cursor=${first.next_cursor}`)).json);
    const other = await list(`limit=2&created_after=0&cursor=${first.next_cursor}`);

    const items: { id: string }[] = [...first.items, ...second.items];
    expect(items.map(({ id }) => id)).toEqual(ids);
    expect(second).not.toHaveProperty('next_cursor');
    expect([other.status, Object(other.json).error.param]).toEqual([422, 'cursor']);
  });

  it.each([
    ['sandbox', 1],
    ['unknown', 0],
  ])('lists only the jobs of the provider %s', async (provider, count) => {
    await submitted();

    const { json } = await list(`provider=${provider}`);

    expect(Object(json).items).toHaveLength(count);
  });

  it.each([
    ...[
      'limit=0',
      'limit=101',
      'status=done',
      'visibility=none',
      'favorite=1',
      'cursor=x',
      'order=asc',
    ],
    ...[
      'search=%00',
      `search=${'x'.repeat(257)}`,
      'sort=created',
      'limit=1&limit=2',
      `provider=${'x'.repeat(65)}`,
    ],
  ])('rejects ?%s', async (query) => {
    expect((await list(query)).status).toBe(422);
  });
});

describe('streamJob', () => {
  it('replies with the events of a job', async () => {
    const id = await submitted();
    const job = await rig.jobs.cancel(SCOPE, id);

    const { status, headers, bytes } = await invoke(streamJob, at(id), rig);

    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/event-stream');
    expect(parseEventText(bytes.toString()).events).toEqual([
      { id: '1', name: 'snapshot', data: { type: 'snapshot', job } },
      { id: '2', name: 'ended', data: { type: 'ended', job } },
    ]);
  });

  it('replies with 404 for an unknown job', async () => {
    expect((await invoke(streamJob, at('nothing'), rig)).status).toBe(404);
  });

  it('rejects a query', async () => {
    const sent = { ...at(await submitted()), query: 'wait_ms=1' };

    expect((await invoke(streamJob, sent, rig)).status).toBe(422);
  });
});

describe('streamJobs', () => {
  const follow = (headers: Record<string, string> = {}) => {
    // Otherwise the stream would not end.
    rig.worker.over();
    return invoke(streamJobs, { path: '/v1/jobs/events', headers }, rig);
  };

  it('sends the active jobs, and resumes after the last event id', async () => {
    const id = await submitted();
    const first = parseEventText((await follow()).bytes.toString());
    await rig.jobs.cancel(SCOPE, id);

    const { bytes } = await follow({ 'last-event-id': first.lastId ?? '' });

    expect(first.events).toMatchObject([
      { name: 'job', id: first.lastId, data: { snapshot: true, job: { id, status: 'queued' } } },
    ]);
    const { events, lastId } = parseEventText(bytes.toString());
    expect(events).toMatchObject([
      { name: 'job', id: lastId, data: { snapshot: true, job: { id, status: 'cancelled' } } },
    ]);
  });

  it.each(['1', 'AAAAAAAAAAA', '%', '\u00fc'])('rejects the id %s', async (id) => {
    const reply = await follow({ 'last-event-id': id });

    expect(reply.status).toBe(422);
    expect(reply.json).toMatchObject({ error: { param: 'last-event-id' } });
  });
});
