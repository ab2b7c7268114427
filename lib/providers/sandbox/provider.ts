import type { Usage } from '../../contract/reply/image-response.ts';
import { utf8Bytes } from '../../contract/schema/text.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Edges } from '../../images/image.ts';
import { abortable } from '../../platform/abortable.ts';
import { safetyDetails } from '../backend/failures.ts';
import type { ProviderParts } from '../provider-parts.ts';
import type {
  CallFacts,
  Provider,
  ProviderContext,
  ProviderRequest,
  ProviderResult,
} from '../provider-port.ts';
import { createRunningCalls } from '../running-calls.ts';
import {
  capabilitiesOf,
  DEFAULT_MODEL,
  findModel,
  MAX_OUTPUTS,
  MODELS,
  SANDBOX_VERSION,
  type SandboxModel,
} from './capabilities.ts';
import { createPace, createRenderer, type Pace, type RenderJob } from './renderer.ts';

type Deps = Pick<ProviderParts<'sandbox'>, 'name' | 'settings' | 'engine' | 'clock'>;

const SLOW_MS = 30_000;
const SLOW_STEPS = 10;

/** Creates the built-in provider, which draws real images in threads of this process and simulates failures. */
export function createSandboxProvider({ name, settings, engine, clock }: Deps): Provider {
  const renderer = createRenderer({ engine });
  const calls = createRunningCalls();

  async function perform(
    model: SandboxModel,
    request: ProviderRequest,
    context: ProviderContext,
    signal: AbortSignal,
  ): Promise<ProviderResult> {
    const { behaviour } = model;
    const { attempt, onEvent } = context;
    onEvent({ type: 'progress', stage: 'dispatched' });
    const minimumMs = behaviour === 'draw_slowly' ? SLOW_MS : 0;
    const pace = createPace(clock, Math.max(settings.latency_ms, minimumMs), signal);
    const job: RenderJob = { request, model, pace, signal, onEvent };
    if (behaviour === 'hang') await abortable(new Promise<never>(() => {}), signal);
    const failure = FAILURES.get(behaviour);
    if (failure && (behaviour !== 'fail_first' || attempt === 1)) {
      await pace.reach(1);
      throw rehearsedError(failure, request);
    }
    const steps = behaviour === 'draw_slowly' ? SLOW_STEPS : 1;
    const [{ outputs, size }] = await Promise.all([
      renderer.render(job),
      takeTime(pace, steps, onEvent),
    ]);
    return { outputs, usage: usageOf(request, size), warnings: ['sandbox_output'] };
  }

  return {
    name,
    // The sandbox draws its images without a trained model.
    sourceType: 'algorithmicMedia',
    retry: { attempts: 2, backoffMs: 750 },
    maxParallelCalls: MAX_OUTPUTS,
    describe: () => ({
      displayName: 'Sandbox',
      version: SANDBOX_VERSION,
      experimental: false,
      models: MODELS.map(({ id }) => id),
      defaultModel: DEFAULT_MODEL,
    }),
    capabilities: (model) => capabilitiesOf(name, model),
    async execute(request, context) {
      const model = findModel(request.model);
      if (!model) {
        const supported_models = MODELS.map(({ id }) => id);
        const options = { param: 'routing.model', details: { supported_models } };
        const message = 'the sandbox does not list this model';
        throw new BridgeError('unsupported_capability', message, options);
      }
      return calls.run(context.signal, (signal) => perform(model, request, context, signal));
    },
    probe: async () => ({ ready: true }),
    async close() {
      await calls.close();
      await renderer.close();
    },
  };
}

/** Waits for the duration of the call and reports progress at each step except the last. */
async function takeTime(
  pace: Pace,
  steps: number,
  onEvent: ProviderContext['onEvent'],
): Promise<void> {
  for (let step = 1; step < steps; step += 1) {
    await pace.reach(step / steps);
    onEvent({ type: 'progress', stage: 'generating' });
  }
  await pace.reach(1);
}

const OUTPUT_TOKENS = { auto: 1056, low: 272, medium: 1056, high: 4160, xhigh: 4160, max: 4160 };
const TILE_PX = 512;
const TILE_TOKENS = 170;

/** Returns plausible numbers that are always the same for the same request. Nothing is charged. */
function usageOf(request: ProviderRequest, { width, height }: Edges): Usage {
  const text = Math.ceil((utf8Bytes(request.prompt) + utf8Bytes(request.negativePrompt ?? '')) / 4);
  const images = [...request.images, ...request.references].reduce(
    (sum, image) =>
      sum + Math.ceil(image.width / TILE_PX) * Math.ceil(image.height / TILE_PX) * TILE_TOKENS,
    0,
  );
  const each = Math.ceil((OUTPUT_TOKENS[request.parameters.quality] * width * height) / 1024 ** 2);
  const input = text + images;
  const output = each * request.indices.length;
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}

const RETRY_AFTER_MS = 1000;

type Failure = ConstructorParameters<typeof BridgeError>;

/** The errors of the models that fail, by behaviour. A real provider reports the same errors. */
const FAILURES: ReadonlyMap<string, Failure> = new Map(
  Object.entries<Failure>({
    authentication: ['provider_authentication', 'rehearsal: the login has expired'],
    permission_denied: [
      'permission_denied',
      'rehearsal: the account does not have permission to use this model',
    ],
    safety_rejected: ['safety_rejected', 'rehearsal: the content of the request was rejected'],
    unsupported_capability: [
      'unsupported_capability',
      'rehearsal: the model does not support a parameter',
    ],
    rate_limited: [
      'rate_limited',
      'rehearsal: too many requests',
      { transient: true, details: { retry_after_ms: RETRY_AFTER_MS } },
    ],
    overloaded: [
      'overloaded',
      'rehearsal: the provider is at capacity',
      { details: { retry_after_ms: RETRY_AFTER_MS } },
    ],
    timeout: [
      'timeout',
      'rehearsal: the provider timed out before its image was complete',
      { effect: 'unknown' },
    ],
    upstream: [
      'upstream',
      'rehearsal: the provider failed, and a retry would also fail',
      { retryable: false },
    ],
    protocol: ['protocol', 'rehearsal: the provider sent an invalid reply'],
    fail_first: [
      'upstream',
      'rehearsal: the first attempt fails, the next attempt succeeds',
      { retryable: true, transient: true },
    ],
  }),
);

function rehearsedError([code, message, options]: Failure, request: CallFacts): BridgeError {
  const error = new BridgeError(code, message, options);
  return code === 'safety_rejected'
    ? error.with({ details: safetyDetails(request, 'input', ['violence']) })
    : error;
}
