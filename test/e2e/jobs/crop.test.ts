import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import { addToken, TOKENS } from '../../support/add-token.ts';
import { cleanUp, freshFolder, startBridge } from '../../support/start-bridge.ts';
import { createJobClient, type JobClient } from './jobs-rig.ts';

afterAll(cleanUp);

const AREA = { x: 80, y: 32, width: 160, height: 128 };

/** Makes an image of 320 by 192 pixels, and resolves with its job. */
async function make(jobs: JobClient) {
  const { json } = await jobs.post({ prompt: 'a lighthouse', parameters: { size: '320x192' } });
  return jobs.ended(json.id);
}

function crop(jobs: JobClient, id: string, body: object, headers: Record<string, string> = {}) {
  return jobs.send('POST', `/v1/artifacts/${id}/crop`, { body, headers });
}

it('a crop makes a new artifact with the exact pixels of its parent, once for a key', async () => {
  const jobs = await createJobClient(await startBridge({ cwd: await freshFolder() }));
  const source = await make(jobs);
  const [parent] = source.result.data;
  const key = { 'idempotency-key': 'one' };

  const first = await crop(jobs, parent.id, AREA, key);
  const second = await crop(jobs, parent.id, AREA, key);
  const ended = await jobs.ended(first.json.id);

  expect([first.status, second.status, second.json.id]).toEqual([202, 202, first.json.id]);
  expect(ended).toMatchObject({
    status: 'succeeded',
    derived_from: [{ input: 0, artifact_id: parent.id, job_id: source.id }],
  });
  const [image] = ended.result.data;
  expect(image).toMatchObject({ width: 160, height: 128, format: 'png' });
  expect(image.provenance.source_type).toBe(parent.provenance.source_type);
  const original = (await jobs.get(`/v1/artifacts/${parent.id}`)).bytes;
  const cropped = (await jobs.get(`/v1/artifacts/${image.id}`)).bytes;
  const part = { left: 80, top: 32, width: 160, height: 128 };
  expect(await sharp(cropped).removeAlpha().raw().toBuffer()).toEqual(
    await sharp(original).removeAlpha().extract(part).raw().toBuffer(),
  );
});

it('a crop does not wait for the end of the running jobs', async () => {
  const cwd = await freshFolder();
  const first = await startBridge({ cwd });
  const source = await make(await createJobClient(first));
  await first.end();
  const set = ['server.jobs.max_running=1', 'providers.sandbox.latency_ms=600000'];
  const jobs = await createJobClient(await startBridge({ cwd, set }));
  const { json: long } = await jobs.post({ prompt: 'a lighthouse' });
  await jobs.running(long.id);
  await jobs.post({ prompt: 'a lighthouse' });

  const { json } = await crop(jobs, source.result.data[0].id, AREA);

  expect(await jobs.ended(json.id)).toMatchObject({ status: 'succeeded' });
  expect((await jobs.get('/v1/queue')).json).toMatchObject({ queued: 1, running: 1 });
});

it('a crop charges no allowance, and no other token can crop the image', async () => {
  const cwd = await freshFolder();
  const alice = await addToken(cwd, 'alice', '--images-per-day', '1');
  const bob = await addToken(cwd, 'bob');
  const bridge = await startBridge({ cwd, set: [TOKENS] });
  const jobs = await createJobClient(bridge, alice);
  const source = await make(jobs);
  const [parent] = source.result.data;
  const before = (await jobs.get('/v1/usage')).json;

  const { status, json } = await crop(jobs, parent.id, AREA);

  expect(before.caller.allowance.used).toBe(1);
  expect(status).toBe(202);
  expect(await jobs.ended(json.id)).toMatchObject({ status: 'succeeded' });
  expect((await jobs.get('/v1/usage')).json).toEqual(before);
  expect((await crop(await createJobClient(bridge, bob), parent.id, AREA)).status).toBe(404);
});

it('no request can name the bridge as its provider', async () => {
  const jobs = await createJobClient(await startBridge({ cwd: await freshFolder() }));

  const reply = await jobs.post({ prompt: 'a fox', routing: { provider: 'image-bridge' } });

  expect([reply.status, reply.json.error.param]).toEqual([422, 'routing.provider']);
});
