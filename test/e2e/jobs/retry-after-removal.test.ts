import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { cleanUp, freshFolder, startBridge } from '../../support/start-bridge.ts';
import { createJobClient } from './jobs-rig.ts';

afterAll(cleanUp);

const small = { size: '320x192' };

it('retries a job whose parent job, parent image and preset were removed, and does not find a removed job', async () => {
  const cwd = await freshFolder();
  const root = 'artifacts.root=artifacts';
  const first = await startBridge({ cwd, set: [root] });
  const before = await createJobClient(first);
  const lighthouse = { prompt: 'a lighthouse', parameters: small };
  const source = await before.ended((await before.post(lighthouse)).json.id);
  const [{ id: artifact_id, name }] = source.result.data;
  const preset = { name: 'calm', template: { parameters: small } };
  expect((await before.send('POST', '/v1/presets', { body: preset })).status).toBe(201);
  await before.send('PATCH', '/v1/queue', { body: { paused: true } });
  const edit = {
    ...preset.template,
    prompt: 'a calm lighthouse',
    operation: 'edit',
    images: [{ type: 'artifact', artifact_id }],
  };
  const { id } = (await before.post(edit)).json;
  const cancelled = (await before.cancel(id)).json;
  await first.end();
  await rm(join(cwd, 'artifacts', name));

  // The retention runs at the start.
  const second = await startBridge({ cwd, set: [root, 'server.jobs.max_retained=1'] });
  const jobs = await createJobClient(second);
  await expect.poll(async () => (await jobs.get(`/v1/jobs/${source.id}`)).status).toBe(404);
  expect((await jobs.get(`/v1/artifacts/${artifact_id}`)).json.error.code).toBe('artifact_error');
  expect((await jobs.send('DELETE', '/v1/presets/calm')).status).toBe(204);
  const retried = await jobs.send('POST', `/v1/jobs/${id}/retry`);
  await jobs.send('PATCH', '/v1/queue', { body: { paused: false } });
  const ended = await jobs.ended(retried.json.id);
  const removed = await jobs.send('POST', `/v1/jobs/${source.id}/retry`);

  expect(retried.status).toBe(202);
  expect(ended).toMatchObject({
    status: 'succeeded',
    retry_of: id,
    derived_from: [{ artifact_id, job_id: source.id }],
    request: cancelled.request,
  });
  expect(removed).toMatchObject({ status: 404, json: { error: { code: 'not_found' } } });
});
