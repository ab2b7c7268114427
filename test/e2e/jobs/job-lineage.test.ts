import { afterAll, expect, it } from 'vitest';
import { cleanUp, freshFolder, startBridge } from '../../support/start-bridge.ts';
import { createJobClient } from './jobs-rig.ts';

afterAll(cleanUp);

const small = { parameters: { size: '320x192' } };

it('a job knows the images that it was made from, and its family, also after a restart', async () => {
  const cwd = await freshFolder();
  const first = await startBridge({ cwd });
  const jobs = await createJobClient(first);
  const done = async (body: object) => {
    const { status, json } = await jobs.post({ prompt: 'a lighthouse', ...small, ...body });
    expect(status).toBe(202);
    return jobs.ended(json.id);
  };
  const source = await done({ parameters: { size: '320x192', n: 2 } });
  const [, { id: artifact_id, name }] = source.result.data;
  const image = { type: 'artifact', artifact_id };
  const failing = { routing: { model: 'sandbox-fail-upstream' } };
  const edit = await done({ operation: 'edit', images: [image], ...failing });
  const guided = await done({ reference_images: [image] });

  const { json: retried } = await jobs.send('POST', `/v1/jobs/${edit.id}/retry`);
  await jobs.ended(retried.id);
  await first.end();
  const second = await startBridge({ cwd });
  const later = await createJobClient(second);
  const derived = await later.get(`/v1/jobs/${source.id}/derived?limit=2`);
  const family = await later.get(`/v1/jobs/${guided.id}/family`);
  const unknown = await later.get(`/v1/jobs/${artifact_id}/family`);

  const parent = {
    ...{ input: 0, artifact_id, job_id: source.id, image: 1, name, width: 320, height: 192 },
    created: expect.any(Number),
  };
  expect(source).not.toHaveProperty('derived_from');
  expect(edit.derived_from).toEqual([parent]);
  expect(retried).toMatchObject({ retry_of: edit.id, derived_from: [parent] });
  expect(derived.json.items).toMatchObject([{ id: retried.id }, { id: guided.id }]);
  expect(derived.json.next_cursor).toEqual(expect.any(String));
  expect(family.json.items).toMatchObject([
    { id: guided.id, distance: 0, derived_from: [parent] },
    { id: source.id, distance: 1 },
    { id: retried.id, distance: 2 },
    { id: edit.id, distance: 2 },
  ]);
  expect(family.json.total).toEqual({ count: 4, at_least: false });
  expect(unknown.status).toBe(404);
});
