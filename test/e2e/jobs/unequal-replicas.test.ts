import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { falSettings } from '../../support/fal-settings.ts';
import { createSchema, HAS_POSTGRES } from '../../support/postgres.ts';
import { cleanUp, freshFolder, startBridge } from '../../support/start-bridge.ts';
import { FAL_UPSTREAM } from '../../support/task-upstream/services/fal.ts';
import { createTaskUpstream } from '../../support/task-upstream/task-upstream.ts';
import { createJobClient } from './jobs-rig.ts';

afterAll(cleanUp);

const MODEL = 'fal-ai/flux/dev';

/** Creates the function that starts a replica, with or without an account at fal. */
async function openRig() {
  const cwd = await freshFolder();
  const fal = await createTaskUpstream({ service: FAL_UPSTREAM });
  const database = await createSchema();
  onTestFinished(async () => {
    await fal.close();
    await cleanUp();
    await database.drop();
  });
  const start = async (...set: readonly string[]) => {
    const bridge = await startBridge({
      command: 'serve',
      cwd,
      env: { DATABASE_URL: database.url, FAL_KEY: fal.key },
      set: [
        'state.driver=postgres',
        `state.postgres.schema=${database.schema}`,
        'artifacts.shared_folder=true',
        `artifacts.root=${join(cwd, 'artifacts')}`,
        'providers.sandbox.enabled=true',
        ...set,
      ],
    });
    return { bridge, jobs: await createJobClient(bridge) };
  };
  return { fal, start };
}

describe.runIf(HAS_POSTGRES)('replicas of which only one has a provider', () => {
  it('end a job without a call or a charge at the replica without the provider, unless the queue is paused until both have the provider', async () => {
    const { fal, start } = await openRig();
    const { jobs } = await start(...falSettings(fal, MODEL), 'replica.work=false');
    const earlier = await start('default_provider=sandbox');
    const post = async () => {
      const { json } = await jobs.post({ prompt: 'a fox', routing: { provider: 'fal' } });
      return json.id as string;
    };
    const pause = (paused: boolean) => jobs.send('PATCH', '/v1/queue', { body: { paused } });

    const lost = await jobs.ended(await post());
    await pause(true);
    const waiting = await post();
    await earlier.bridge.end('SIGTERM');
    await start(...falSettings(fal, MODEL));
    const retried = (await jobs.send('POST', `/v1/jobs/${lost.id}/retry`)).json.id;
    await pause(false);
    const ends = [await jobs.ended(waiting), await jobs.ended(retried)];

    expect(lost).toMatchObject({
      status: 'failed',
      error: {
        code: 'invalid_request',
        retryable: false,
        details: { issues: [{ field: 'routing.provider', code: 'unknown_provider' }] },
      },
    });
    expect(ends).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }]);
    expect(fal.ledger()).toHaveLength(2);
  });
});
