import { BridgeError } from '../../errors/bridge-error.ts';
import type { ProviderParts } from '../provider-parts.ts';
import type {
  Provider,
  ProviderContext,
  ProviderRequest,
  ProviderResult,
} from '../provider-port.ts';
import { createRunningCalls } from '../running-calls.ts';
import { capabilitiesOf, SANDBOX_VERSION } from './capabilities.ts';
import { DEFAULT_MODEL, findModel, MODELS, type SandboxModel } from './models.ts';
import { createPace, type Pace } from './pace.ts';
import { rehearsedError, transientError } from './rehearsed-errors.ts';
import { createRenderer, type RenderJob } from './renderer.ts';
import { usageOf } from './usage.ts';

type Deps = Pick<ProviderParts<'sandbox'>, 'name' | 'settings' | 'engine' | 'clock'>;

const SLOW_MS = 30_000;
const SLOW_STEPS = 10;

/** The embedded provider: draws real images in threads of this process, and simulates failures (providers.md). */
export function createSandboxProvider({ name, settings, engine, clock }: Deps): Provider {
  const renderer = createRenderer({ engine });
  const calls = createRunningCalls();
  let closing: Promise<void> | undefined;

  async function perform(
    model: SandboxModel,
    request: ProviderRequest,
    context: ProviderContext,
    signal: AbortSignal,
  ): Promise<ProviderResult> {
    const { behaviour } = model;
    const { attempt, onEvent } = context;
    onEvent({ type: 'progress', stage: 'dispatched' });
    const minimumMs = behaviour.kind === 'draw_slowly' ? SLOW_MS : 0;
    const pace = createPace(clock, Math.max(settings.latency_ms, minimumMs), signal);
    const job: RenderJob = { request, model, pace, signal, onEvent };
    if (behaviour.kind === 'hang') await aborted(signal);
    if (behaviour.kind === 'fail') {
      await pace.reach(1);
      throw rehearsedError(behaviour.failure, request);
    }
    if (behaviour.kind === 'fail_first' && attempt === 1) {
      await pace.reach(1);
      throw transientError();
    }
    const steps = behaviour.kind === 'draw_slowly' ? SLOW_STEPS : 1;
    const [{ outputs, size }] = await Promise.all([
      renderer.render(job),
      takeTime(pace, steps, onEvent),
    ]);
    return { outputs, usage: usageOf(request, size), warnings: ['sandbox_output'] };
  }

  async function closeAll(): Promise<void> {
    await calls.close();
    await renderer.close();
  }

  return {
    name,
    retry: { attempts: 2, backoffMs: 750 },
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
      if (!model) throw unknownModel();
      return calls.run(context.signal, (signal) => perform(model, request, context, signal));
    },
    probe: async () => ({ ready: true }),
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

/** Waits for the call's time, with a progress event at each step but the last. */
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

/** Never resolves; rejects with the signal's reason. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

function unknownModel(): BridgeError {
  return new BridgeError('unsupported_capability', 'the sandbox does not list this model', {
    param: 'routing.model',
    details: { supported_models: MODELS.map(({ id }) => id) },
  });
}
