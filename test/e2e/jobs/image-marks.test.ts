import { afterAll, expect, it } from 'vitest';
import { cleanUp, freshFolder, startBridge } from '../../support/start-bridge.ts';
import { createJobClient } from './jobs-rig.ts';

afterAll(cleanUp);

const two = { prompt: 'a lighthouse', parameters: { size: '320x192', n: 2 } };

it('one image of several is marked, hidden and annotated, also after a restart', async () => {
  const cwd = await freshFolder();
  const first = await startBridge({ cwd });
  const jobs = await createJobClient(first);
  const { json: made } = await jobs.post(two);
  const job = await jobs.ended(made.id);
  const [one, other] = job.result.data.map(({ id }: { id: string }) => id);
  const mark = (id: string, body: object) => jobs.send('PATCH', `/v1/artifacts/${id}`, { body });

  const marked = await mark(one, { favorite: true, note: 'for the cover' });
  const hidden = await mark(other, { hidden: true });
  await first.end();
  const second = await startBridge({ cwd });
  const later = await createJobClient(second);
  const listed = await later.get('/v1/jobs?favorite=true');
  const read = await later.get(`/v1/jobs/${job.id}`);

  const marks = { favorite: true, note: 'for the cover' };
  expect(marked.json).toMatchObject({ id: one, job_id: job.id, image: 0, ...marks });
  expect(hidden.json).toMatchObject({ id: other, image: 1, hidden: true });
  expect(listed.json.items).toMatchObject([
    {
      id: job.id,
      favorite: true,
      artifacts: [
        { id: one, ...marks },
        { id: other, hidden: true },
      ],
    },
  ]);
  expect(job).not.toHaveProperty('marks');
  expect(read.json.marks).toEqual([
    { artifact_id: one, ...marks },
    { artifact_id: other, hidden: true },
  ]);
});

it('an image that no job of the token has made is not found', async () => {
  const bridge = await startBridge({ cwd: await freshFolder() });
  const jobs = await createJobClient(bridge);
  const body = { favorite: true };
  const direct = { ...two, output: { response_format: 'artifact' } };
  const { json } = await jobs.send('POST', '/v1/images', { body: direct });

  const unknown = await jobs.send('PATCH', `/v1/artifacts/${'a'.repeat(32)}`, { body });
  const withoutJob = await jobs.send('PATCH', `/v1/artifacts/${json.data[0].id}`, { body });

  expect(unknown.status).toBe(404);
  expect(withoutJob.status).toBe(404);
});
