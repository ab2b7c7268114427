import * as v from 'valibot';
import { CapabilityDocument } from '../../contract/resources/provider.ts';
import { batchingMode, familyNames, PLAIN_MODEL } from '../backend/plain-model.ts';
import type { TaskModel, TaskService } from './task-service.ts';
import type { TaskSettings } from './task-services.ts';

/** Returns the model that has a name in the settings, or undefined if the service has no such model. */
export function modelOf(
  service: TaskService,
  name: string,
  settings: Pick<TaskSettings, 'image_model' | 'model_profiles'>,
): TaskModel | undefined {
  const [first] = familyNames(name, settings).flatMap((known) => service.model(known) ?? []);
  return first ?? service.usualModel;
}

/** Returns the maximum number of tasks that one account runs at the same time. */
export function parallelCalls(
  { max_outputs: max, max_parallel_outputs: parallel }: TaskSettings,
  { limits }: TaskService,
): number {
  return parallel === 'auto' ? Math.min(max, limits.parallelTasks ?? max) : parallel;
}

/** Returns the capabilities of a model, limited by the settings and overridden by the model's profile in the settings. */
export function capabilitiesOf(
  provider: string,
  name: string,
  { model, service }: { readonly model: TaskModel; readonly service: TaskService },
  settings: TaskSettings,
): CapabilityDocument {
  const { max_outputs: max } = settings;
  const perCall = Math.min(model.maxImagesPerTask ?? 1, max);
  const profile = settings.model_profiles[name];
  return v.parse(CapabilityDocument, {
    ...PLAIN_MODEL,
    provider,
    model: name,
    count: { min: 1, max },
    batching: {
      mode: batchingMode(max, perCall),
      native_count: { min: 1, max: perCall },
      max_parallel_outputs: parallelCalls(settings, service),
    },
    source_transport: 'conversation_attachment',
    actions: model.capabilities.edits ? ['auto', 'generate', 'edit'] : ['auto', 'generate'],
    ...model.capabilities,
    ...(typeof profile === 'object' ? profile : {}),
  });
}
