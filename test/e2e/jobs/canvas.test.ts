import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import { cleanUp, freshFolder, startBridge } from '../../support/start-bridge.ts';
import { createJobClient } from './jobs-rig.ts';

afterAll(cleanUp);

/** Returns the raw pixels of a rectangle, with three channels. */
async function pixelsOf(
  bytes: Buffer,
  area: { left: number; top: number; width: number; height: number },
) {
  return sharp(bytes).removeAlpha().extract(area).raw().toBuffer();
}

it('an edit crops or extends an image of the bridge, keeps its pixels and its lineage', async () => {
  const bridge = await startBridge({ cwd: await freshFolder() });
  const jobs = await createJobClient(bridge);
  const made = await jobs.post({ prompt: 'a lighthouse', parameters: { size: '320x192' } });
  const source = await jobs.ended(made.json.id);
  const artifact_id = source.result.data[0].id;
  const edit = async (canvas: object, more: object = {}) => {
    const images = [{ type: 'artifact', artifact_id, canvas }];
    const { json } = await jobs.post({ operation: 'edit', prompt: 'wider', images, ...more });
    return jobs.ended(json.id);
  };

  const reference_images = [{ type: 'artifact', artifact_id }];
  const wider = await edit({ x: -80, y: 0, width: 480, height: 192 }, { reference_images });
  const cropped = await edit({ x: 80, y: 32, width: 160, height: 128 });

  const original = (await jobs.get(`/v1/artifacts/${artifact_id}`)).bytes;
  const sent = (await jobs.get(`/v1/jobs/${cropped.id}/inputs/0`)).bytes;
  const whole = { left: 0, top: 0, width: 160, height: 128 };
  expect(await pixelsOf(sent, whole)).toEqual(
    await pixelsOf(original, { left: 80, top: 32, width: 160, height: 128 }),
  );
  expect(cropped.request.mask).toBeNull();
  expect(wider).toMatchObject({ status: 'succeeded', request: { mask: { type: 'stored' } } });
  const [image] = wider.result.data;
  expect(image).toMatchObject({ width: 480, height: 192 });
  const result = (await jobs.get(`/v1/artifacts/${image.id}`)).bytes;
  expect(await pixelsOf(result, { left: 80, top: 0, width: 320, height: 192 })).toEqual(
    await pixelsOf(original, { left: 0, top: 0, width: 320, height: 192 }),
  );
  expect(wider.derived_from).toMatchObject([
    { input: 0, artifact_id, job_id: source.id },
    { input: 2, artifact_id, job_id: source.id },
  ]);
});

it('a crop makes a new artifact with the exact pixels of its parent, free of charge and once for a key', async () => {
  const bridge = await startBridge({ cwd: await freshFolder() });
  const jobs = await createJobClient(bridge);
  const made = await jobs.post({ prompt: 'a lighthouse', parameters: { size: '320x192' } });
  const source = await jobs.ended(made.json.id);
  const artifact_id = source.result.data[0].id;
  const before = (await jobs.get('/v1/usage')).json.items;
  const crop = (body: object, id = artifact_id) =>
    jobs.send('POST', `/v1/artifacts/${id}/crop`, { body, headers: { 'idempotency-key': 'one' } });
  const area = { x: 80, y: 32, width: 160, height: 128 };

  const first = await crop(area);
  const second = await crop(area);
  const ended = await jobs.ended(first.json.id);

  expect(first.status).toBe(202);
  expect(second.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  expect(second.json.id).toBe(first.json.id);
  expect(ended).toMatchObject({ status: 'succeeded', derived_from: [{ artifact_id, job_id: source.id }] });
  const [image] = ended.result.data;
  expect(image).toMatchObject({ width: 160, height: 128, format: 'png' });
  const original = (await jobs.get(`/v1/artifacts/${artifact_id}`)).bytes;
  const cropped = (await jobs.get(`/v1/artifacts/${image.id}`)).bytes;
  expect(await pixelsOf(cropped, { left: 0, top: 0, width: 160, height: 128 })).toEqual(
    await pixelsOf(original, { left: 80, top: 32, width: 160, height: 128 }),
  );
  expect(image.provenance.source_type).toBe(source.result.data[0].provenance.source_type);
  expect((await jobs.get('/v1/usage')).json.items).toEqual(before);
  expect((await crop({ ...area, x: 81 })).status).toBe(409);
  expect((await crop(area, 'unknown')).status).toBe(404);
});

it('a crop that is outside the image, or no rectangle of pixels, is refused by its field', async () => {
  const bridge = await startBridge({ cwd: await freshFolder() });
  const jobs = await createJobClient(bridge);
  const made = await jobs.post({ prompt: 'a lighthouse', parameters: { size: '320x192' } });
  const { result } = await jobs.ended(made.json.id);
  const refusalOf = async (wrong: object) => {
    const body = { x: 0, y: 0, width: 320, height: 192, ...wrong };
    const target = `/v1/artifacts/${result.data[0].id}/crop`;
    const { status, json } = await jobs.send('POST', target, { body });
    return [status, json.error.param];
  };

  expect(await refusalOf({ x: 320 })).toEqual([422, 'x']);
  expect(await refusalOf({ x: -1 })).toEqual([422, 'x']);
  expect(await refusalOf({ y: 192 })).toEqual([422, 'y']);
  expect(await refusalOf({ width: 321 })).toEqual([422, 'width']);
  expect(await refusalOf({ x: 1 })).toEqual([422, 'width']);
  expect(await refusalOf({ height: 193 })).toEqual([422, 'height']);
  expect(await refusalOf({ width: 0 })).toEqual([422, 'width']);
  expect(await refusalOf({ height: 1.5 })).toEqual([422, 'height']);
  expect(await refusalOf({ width: 1e12 })).toEqual([422, 'width']);
  const named = { prompt: 'a fox', routing: { provider: 'image-bridge' } };
  const reply = await jobs.post(named);
  expect([reply.status, reply.json.error.param]).toEqual([422, 'routing.provider']);
});
