import { afterEach, beforeEach, expect, it } from 'vitest';
import { handler as cropArtifact } from '../../handlers/artifacts/crop-artifact.ts';
import { createArtifactCrops } from '../../lib/jobs/crop-artifact.ts';
import { type JobRig, openJobRig, SCOPE } from '../lib/jobs/job-rig.ts';
import { invoke } from '../support/invoke.ts';

const ARTIFACT = {
  id: 'made',
  scope: SCOPE,
  name: 'made.png',
  format: 'png',
  width: 320,
  height: 192,
  bytes: 1,
  sha256: 'a'.repeat(64),
  createdSecs: 1,
} as const;
const AREA = { x: 80, y: 32, width: 240, height: 160 };

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig();
});
afterEach(() => rig.close());

/** Sends a crop to a bridge whose only artifact is `ARTIFACT`. */
function crop(body: unknown, headers: Record<string, string> = {}, id: string = ARTIFACT.id) {
  const find = async (scope: string, found: string) =>
    scope === SCOPE && found === ARTIFACT.id ? ARTIFACT : undefined;
  const services = { artifactCrops: createArtifactCrops({ artifacts: { find }, jobs: rig.jobs }) };
  const path = `/v1/artifacts/${id}/crop`;
  return invoke(
    cropArtifact,
    { method: 'POST', path, pathParameters: { id }, body, headers },
    services,
  );
}

it('replies with 202, the job of the bridge and its URL', async () => {
  const { status, headers, json } = await crop(AREA);

  expect(status).toBe(202);
  expect(json).toMatchObject({
    status: 'queued',
    request: { operation: 'edit', routing: { provider: 'image-bridge', model: 'crop' } },
  });
  expect(headers['location']).toMatch(/^\/v1\/jobs\/[0-9a-f-]{36}$/);
});

it('starts before the other queued jobs of the caller', async () => {
  const { job: earlier } = await rig.submit();
  const { json } = await crop(AREA);

  expect(await rig.store.claim(1)).toMatchObject({ id: (json as { id: string }).id });
  expect(await rig.store.claim(1)).toMatchObject({ id: earlier.id });
});

it('replies to a repeated request with the same job', async () => {
  const key = { 'idempotency-key': 'one' };
  const first = await crop(AREA, key);

  const second = await crop(AREA, key);

  expect(second.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  expect(second.json).toEqual(first.json);
  expect((await crop({ ...AREA, x: 79 }, key)).status).toBe(409);
});

it('replies with 404 for an unknown artifact', async () => {
  expect((await crop(AREA, {}, 'other')).status).toBe(404);
});

it.each([
  ['x', { ...AREA, x: 320 }],
  ['x', { ...AREA, x: -1 }],
  ['y', { ...AREA, y: 192 }],
  ['width', { ...AREA, width: 241 }],
  ['width', { ...AREA, width: 0 }],
  ['width', { ...AREA, width: 1e12 }],
  ['height', { ...AREA, height: 161 }],
  ['height', { ...AREA, height: 1.5 }],
  ['height', { x: 0, y: 0, width: 1 }],
  ['colour', { ...AREA, colour: 'red' }],
])('rejects the field %s of %j', async (param, body) => {
  const { status, json } = await crop(body);

  expect(status).toBe(422);
  expect(json).toMatchObject({ error: { param } });
});
