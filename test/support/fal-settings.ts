import type { TaskUpstream } from './task-upstream/task-upstream.ts';

/** Returns the settings of the provider `fal` with one model, which is the default provider. The key is in `FAL_KEY`. */
export function falSettings({ url }: Pick<TaskUpstream, 'url'>, model: string): readonly string[] {
  return [
    'providers.task.fal.service=fal',
    `providers.task.fal.base_url=${url}`,
    'providers.task.fal.api_key_env=FAL_KEY',
    `providers.task.fal.image_model=${model}`,
    `providers.task.fal.models=["${model}"]`,
    'default_provider=fal',
  ];
}
