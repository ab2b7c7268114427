import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { falSettings } from '../../support/fal-settings.ts';
import { cleanUp, freshFolder, startBridge } from '../../support/start-bridge.ts';
import { FAL_UPSTREAM } from '../../support/task-upstream/services/fal.ts';
import { createTaskUpstream } from '../../support/task-upstream/task-upstream.ts';
import { createJobClient } from './jobs-rig.ts';

afterAll(cleanUp);

const MODEL = 'fal-ai/flux/dev';
const SIZE = { size: '1024x768', output_format: 'png' };

describe('a start without a kept catalogue', () => {
  it('continues and runs the jobs that an earlier process planned with its catalogue', async () => {
    const cwd = await freshFolder();
    const fal = await createTaskUpstream({ service: FAL_UPSTREAM });
    onTestFinished(() => fal.close());
    const start = () =>
      startBridge({
        command: 'serve',
        cwd,
        env: { FAL_KEY: fal.key },
        set: ['state.directory=state', 'server.jobs.max_running=1', ...falSettings(fal, MODEL)],
      });
    const first = await start();
    const jobs = await createJobClient(first);
    await expect
      .poll(async () => (await jobs.get('/v1/providers/fal/capabilities')).json)
      .toMatchObject({ edits: true });
    fal.forPrompt('a running fox', { waits: 4 });
    const accepted = async (prompt: string) =>
      (await jobs.post({ prompt, parameters: SIZE })).json.id as string;
    const running = await accepted('a running fox');
    const waiting = await accepted('a waiting fox');
    await expect.poll(() => fal.ledger().length).toBe(1);
    await first.end('SIGKILL');
    await rm(join(cwd, 'state', 'catalogue'), { recursive: true });

    const later = await createJobClient(await start());

    const ended = [await later.ended(running), await later.ended(waiting)];
    expect(ended).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }]);
    expect(fal.ledger().map(({ prompt }) => prompt)).toEqual(['a running fox', 'a waiting fox']);
    expect(fal.violations()).toEqual([]);
  });
});
