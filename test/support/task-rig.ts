import type {
  ProviderContext,
  ProviderEvent,
  ProviderRequest,
} from '../../lib/providers/provider-port.ts';
import { createTaskProvider } from '../../lib/providers/task/provider.ts';
import type { TaskService } from '../../lib/providers/task/task-service.ts';
import type { TaskSettings } from '../../lib/providers/task/task-services.ts';
import type { TaskTiming } from '../../lib/providers/task/task-timing.ts';
import { openProviderParts } from './provider-parts.ts';

/** The times of the engine, a hundredth of the real ones, so that tests of many polls are short. */
export const SHORT_TIMES: TaskTiming = {
  firstPollMs: 5,
  longestPollMs: 50,
  longestAskedMs: 600,
  readMs: 5000,
  afterAbortMs: 2000,
  refetchMs: 5,
  fetchMs: 5000,
};

export function taskSettings(parts: Partial<TaskSettings> = {}): TaskSettings {
  return {
    enabled: true,
    service: 'bfl',
    base_url: '',
    allow_plain_http: false,
    api_key_env: undefined,
    api_key_file: undefined,
    models: ['flux-2-pro'],
    image_model: 'flux-2-pro',
    model_profiles: {},
    constants: {},
    result_hosts: [],
    catalogue: 'off',
    catalogue_hours: 24,
    max_outputs: 255,
    max_parallel_outputs: 'auto',
    digital_source_type: 'trainedAlgorithmicMedia',
    max_transient_attempts: 2,
    transient_backoff_ms: 750,
    ...parts,
  };
}

interface Options {
  readonly service: TaskService;
  readonly settings: Partial<TaskSettings>;
  /** The keys in the order of the source. A rejected key is replaced by the next one. */
  readonly keys?: readonly string[];
  readonly maxImageBytes?: number;
  /** Replaces the function that returns the current key. */
  readonly key?: () => Promise<string>;
  readonly timing?: TaskTiming;
  /** Returns the time in milliseconds since the epoch. */
  readonly nowMs?: () => number;
}

/** Creates a task provider with real connections, a scripted key source, short times and no limit of requests. */
export function openTaskRig({ service, settings, keys = ['a-made-up-key'], ...options }: Options) {
  const { maxImageBytes, key, nowMs, timing = SHORT_TIMES } = options;
  const opened = openProviderParts({ keys, maxImageBytes });
  const apiKey = { ...opened.parts.apiKey, ...(key ? { key } : {}) };
  const clock = { ...opened.parts.clock, ...(nowMs ? { nowMs } : {}) };
  const parts = { ...opened.parts, apiKey, clock, name: 'tasks', settings: taskSettings(settings) };
  const unlimited = { ...service, limits: { ...service.limits, requestsPerMinute: 1e9 } };
  const provider = createTaskProvider(parts, unlimited, timing);

  return {
    provider,

    /** Runs one call. `ended` resolves with its result or with its error. */
    run(request: ProviderRequest, changes: Partial<ProviderContext> = {}) {
      const reported: ProviderEvent[] = [];
      const tickets: string[] = [];
      const billedIds: string[] = [];
      const context: ProviderContext = {
        requestId: 'a-request',
        attempt: 1,
        signal: new AbortController().signal,
        onEvent: (event) => void reported.push(event),
        accepted: async (ticket) => {
          tickets.push(ticket);
          return true;
        },
        billedAs: (id) => void billedIds.push(id),
        remainingMs: () => 60_000,
        ...changes,
      };
      const result = provider.execute(request, context);
      return {
        reported,
        tickets,
        billedIds,
        result,
        ended: result.catch((thrown: unknown) => thrown),
      };
    },

    async close() {
      await provider.close();
      await opened.close();
    },
  };
}
