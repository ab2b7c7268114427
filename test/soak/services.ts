import { join } from 'node:path';
import { startReceiver, webhookSettings } from '../e2e/jobs/webhook-receiver.ts';
import { providerSettings } from '../e2e/providers/openai-images-rig.ts';
import { childSettings } from '../lib/providers/agent-app-server/child-rig.ts';
import { createImagesUpstream } from '../support/images-upstream/images-upstream.ts';
import { createResponsesUpstream } from '../support/responses-upstream/responses-upstream.ts';
import type { Seeded } from '../support/seeded.ts';
import { freshFolder } from '../support/start-bridge.ts';
import { BFL_UPSTREAM } from '../support/task-upstream/services/bfl.ts';
import { createTaskUpstream } from '../support/task-upstream/task-upstream.ts';

// A silent call, which lasts a minute elsewhere.
const SILENCE_MS = 500;
const IMAGE_BYTES = 40_000;

export type Services = Awaited<ReturnType<typeof startServices>>;

/** Starts the emulators of all remote services, and returns the settings of a bridge that uses them. */
export async function startServices(seeded: Seeded) {
  const home = await freshFolder();
  const images = await createImagesUpstream({
    imageBytes: IMAGE_BYTES,
    silenceMs: SILENCE_MS,
    keepsBodies: false,
  });
  const tasks = await createTaskUpstream({ service: BFL_UPSTREAM, imageBytes: IMAGE_BYTES });
  const login = await createResponsesUpstream({ imageBytes: IMAGE_BYTES, keepsBodies: false });
  await login.writeLogin(home);
  // One webhook in five is lost or refused, and is sent again.
  const receiver = await startReceiver(() => seeded.pick([204, 204, 204, 500, 'cut'] as const));
  const webhooks = webhookSettings(receiver.host);
  return {
    images,
    tasks,
    receiver,
    env: { OWN_KEY: images.key() ?? '', TASK_KEY: 'a-made-up-key', ...webhooks.env },
    set: [
      'providers.agent_responses.enabled=false',
      `providers.agent_responses.home=${home}`,
      `providers.agent_responses.token_endpoint=${login.tokenUrl}`,
      ...childSettings(home, ['--log', join(home, 'log')]),
      ...providerSettings('own', images),
      'providers.task.flux.service=bfl',
      `providers.task.flux.base_url=${tasks.url}`,
      'providers.task.flux.api_key_env=TASK_KEY',
      'providers.task.flux.models=["flux-2-pro"]',
      'providers.task.flux.image_model=flux-2-pro',
      'providers.task.flux.catalogue=off',
      ...webhooks.set,
    ],
    async close(): Promise<void> {
      await receiver.kill();
      await tasks.close();
      await images.close();
      await login.close();
    },
  };
}
