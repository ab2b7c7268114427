import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handler as listJobDays } from '../../handlers/jobs/list-job-days.ts';
import { handler as listJobLabels } from '../../handlers/jobs/list-job-labels.ts';
import { handler as listPrompts } from '../../handlers/jobs/list-prompts.ts';
import { type JobRig, openJobRig } from '../lib/jobs/job-rig.ts';
import { invoke } from '../support/invoke.ts';

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig();
});
afterEach(() => rig.close());

const days = (query: string) => invoke(listJobDays, { query }, rig);
const prompts = (query: string) => invoke(listPrompts, { query }, rig);

describe('listJobDays', () => {
  it('replies with the days of the matching jobs', async () => {
    const { job } = await rig.submit();
    await rig.submit();
    const date = new Date(job.created * 1000).toISOString().slice(0, 10);

    const { json } = await days('time_zone=UTC&operation=generate');

    expect(json).toEqual({
      days: [{ date, start: Date.parse(date) / 1000, count: 2 }],
      more: false,
    });
    expect((await days('operation=edit')).json).toEqual({ days: [], more: false });
  });

  it('counts the jobs that a search finds, and says that older jobs match', async () => {
    await rig.submit();
    await rig.submit();
    rig.found.sequences = [2];

    const found = await days('q=boat');
    rig.found.more = true;
    const part = await days('q=boat');

    expect(found.json).toMatchObject({ days: [{ count: 1 }], more: false });
    expect(part.json).toMatchObject({ more: true });
  });

  it.each([
    ['time_zone', 'time_zone=Mars/Olympus'],
    ['time_zone', 'time_zone=x'],
    ['size', 'size=wide'],
    ['limit', 'limit=3'],
  ])('rejects the field %s in %s', async (param, query) => {
    const reply = await days(query);

    expect(reply.status).toBe(422);
    expect(reply.json).toMatchObject({ error: { param } });
  });
});

describe('listPrompts', () => {
  it('replies with the different prompts in pages, the last used prompt first', async () => {
    await rig.submit({ prompt: 'a boat' });
    await rig.submit({ prompt: 'a fox' });
    const { job } = await rig.submit({ prompt: 'a boat' });

    const first = await prompts('limit=1');
    const { next_cursor: cursor } = first.json as { readonly next_cursor: string };
    const second = await prompts(`limit=1&cursor=${cursor}`);

    expect(first.json).toMatchObject({
      items: [{ prompt: 'a boat', count: 2, job: { id: job.id, status: 'queued' } }],
    });
    expect(second.json).toMatchObject({ items: [{ prompt: 'a fox', count: 1 }] });
    expect(second.json).not.toHaveProperty('next_cursor');
  });

  it('replies with the prompts that a search finds, whose cursor belongs to the search', async () => {
    await rig.submit({ prompt: 'a boat' });
    await rig.submit({ prompt: 'a boat at night' });
    await rig.submit({ prompt: 'a fox' });
    rig.found.sequences = [2, 1];

    const found = await prompts('q=boat&limit=1');
    const { next_cursor: cursor } = found.json as { readonly next_cursor: string };
    const refused = await prompts(`limit=1&cursor=${cursor}`);

    expect(found.json).toMatchObject({ items: [{ prompt: 'a boat at night' }] });
    expect(refused.json).toMatchObject({ error: { param: 'cursor' } });
  });
});

describe('listJobLabels', () => {
  it('replies with the labels of the jobs and their counts', async () => {
    await rig.submit({ labels: ['poster', 'spring'] });
    await rig.submit({ labels: ['poster'] });

    const { json } = await invoke(listJobLabels, {}, rig);

    expect(json).toEqual({
      items: [
        { label: 'poster', count: 2 },
        { label: 'spring', count: 1 },
      ],
    });
  });
});
