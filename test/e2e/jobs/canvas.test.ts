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
