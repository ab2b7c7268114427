import { BridgeError } from '../../errors/bridge-error.ts';
import { createRemoteFetch } from '../../net/remote-fetch.ts';
import { createBackendProvider } from '../backend/backend-provider.ts';
import { refuseTooManyInputs } from '../backend/sent-images.ts';
import { createBilling } from '../billing/billing.ts';
import { readHeaders } from '../credentials/api-key.ts';
import { unsupported } from '../failed-calls.ts';
import { streamLimits } from '../http/sse.ts';
import type { NamedProviderParts } from '../provider-parts.ts';
import type { CallOutline, Provider, ProviderBilling, ProviderRequest } from '../provider-port.ts';
import { parallelCalls } from './capabilities.ts';
import { createRequestPace } from './request-pace.ts';
import { createTaskBodies } from './task-bodies.ts';
import { createTaskClient } from './task-client.ts';
import { createTaskHosts } from './task-hosts.ts';
import { createTaskImages } from './task-images.ts';
import { createTaskModels } from './task-models.ts';
import { createTaskRun } from './task-run.ts';
import type { TaskModel, TaskService } from './task-service.ts';
import { TASK_SERVICES, type TaskSettings } from './task-services.ts';
import { createTaskStart } from './task-start.ts';
import { TASK_TIMING } from './task-timing.ts';
import { createTaskUploads } from './task-uploads.ts';
import { createTaskWatch } from './task-watch.ts';

/** Limits for fetching an image from a result host, equal to the limits for the input images of requests. */
const FETCH_LIMITS = {
  allowed_ports: [443],
  allow_private_networks: false,
  max_redirects: 3,
  timeout_ms: 20_000,
};

const SEEDS = 2 ** 31;

/** Creates the provider for one account of a service with tasks. Tests replace the service and the times. */
export function createTaskProvider(
  parts: NamedProviderParts<'task'>,
  service: TaskService = TASK_SERVICES[parts.settings.service],
  timing = TASK_TIMING,
): Provider {
  const { name, settings, apiKey, ids } = parts;
  const baseUrl = baseUrlOf(settings, service);
  const models = createTaskModels(parts, service, baseUrl);
  const run = openRun(parts, service, timing);

  function knownModel(model: string): TaskModel {
    const known = models.find(model);
    if (known) return known.model;
    throw new BridgeError('internal', 'the model has no inputs');
  }

  function constantsOf(model: string) {
    return settings.constants[model] ?? {};
  }

  return createBackendProvider({
    name,
    displayName: service.displayName,
    settings,
    documents: models.documents,
    maxParallelCalls: parallelCalls(settings, service),
    maskForm: (model) => models.find(model)?.model.maskForm,
    refuse(call: CallOutline) {
      const model = knownModel(call.model);
      refuseTooManyInputs(call, model.inputLimits);
      model.refuse?.(call, constantsOf(call.model));
    },
    call(request, context) {
      const model = knownModel(request.model);
      refuseTooManyOutputs(request, model);
      const seed = Math.floor(ids.newFraction() * SEEDS);
      const call = { request, model, constants: constantsOf(request.model), seed };
      return models.run(request.model, () => run(call, context));
    },
    probe: apiKey.readiness,
    billing: openBilling(parts, service, baseUrl),
    ...models.published,
    close: models.close,
  });
}

/**
 * Throws `unsupported_capability` if a task that is to be submitted cannot make all images of the call. The call may have been
 * planned before the catalogue changed. If the call were sent, its images would be charged and unusable.
 */
function refuseTooManyOutputs(
  { indices, ticket }: ProviderRequest,
  { maxImagesPerTask = 1 }: TaskModel,
): void {
  if (ticket !== undefined || indices.length <= maxImagesPerTask) return;
  throw unsupported('n', `the model makes at most ${maxImagesPerTask} images with one task`, {
    max_count: maxImagesPerTask,
  });
}

function baseUrlOf({ base_url }: TaskSettings, { baseUrl = '' }: TaskService): string {
  return (base_url === '' ? baseUrl : base_url).replace(/\/+$/, '');
}

function openBilling(
  { apiKey, ...parts }: NamedProviderParts<'task'>,
  { billing: source, baseUrl: standard, keyHeaders }: TaskService,
  baseUrl: string,
): ProviderBilling | undefined {
  if (!source) return undefined;
  // A proxy or an emulator at another address also answers for the host of the charges.
  const address = baseUrl === standard ? source.address : baseUrl;
  return createBilling({
    ...parts,
    source,
    address,
    headers: () => readHeaders(apiKey, keyHeaders),
  });
}

/** Connects the parts of the engine for one account. */
function openRun(
  parts: NamedProviderParts<'task'>,
  service: TaskService,
  timing: typeof TASK_TIMING,
) {
  const { settings, images, clock } = parts;
  const baseUrl = baseUrlOf(settings, service);
  const hosts = createTaskHosts({ baseUrl, apiHosts: service.apiHosts });
  const { upload, limits } = service;
  const policy = {
    ...FETCH_LIMITS,
    allowed_hosts: [...service.resultHosts, ...settings.result_hosts],
  };
  const maxBytes = images.max_encoded_bytes;
  const shared = { ...parts, service, hosts, baseUrl, timing };
  const pace = createRequestPace({ clock, requestsPerMinute: limits.requestsPerMinute });
  const client = createTaskClient({
    ...shared,
    maxReplyBytes: streamLimits(maxBytes).maxStreamBytes,
  });
  const uploads = upload && createTaskUploads({ ...shared, upload });
  const bodies = createTaskBodies({ ...shared, uploads });
  const fetchRemote = createRemoteFetch({ policy, clock });
  return createTaskRun({
    ...shared,
    client,
    started: createTaskStart({ ...shared, client, bodies, pace }),
    ended: createTaskWatch({ client, pace, timing }),
    imageBytes: createTaskImages({ ...shared, fetchRemote, maxBytes }),
  });
}
