import { BridgeError } from '../../errors/bridge-error.ts';
import type { NamedProviderParts } from '../provider-parts.ts';
import type {
  CallOutline,
  Provider,
  ProviderContext,
  ProviderReadiness,
  ProviderRequest,
  ProviderResult,
} from '../provider-port.ts';
import { createRunningCalls } from '../running-calls.ts';
import { capabilitiesOf, IMPLEMENTATION_VERSION } from './capabilities.ts';
import { createPromptRun } from './prompt-run.ts';
import { createComfyServer } from './server.ts';
import { readWorkflow, withValues } from './workflow.ts';
import { createWorkflowValues, refuseUnfilled } from './workflow-values.ts';

/** Creates the provider for a ComfyUI server. Each of its workflows is a model. */
export function createComfyuiProvider(parts: NamedProviderParts<'comfyui'>): Provider {
  const { name, settings, images, httpClient, apiKey, clock, ids } = parts;
  const workflows = new Map(Object.entries(settings.workflows));
  const documents = new Map(
    [...workflows].map(([model, workflow]) => [
      model,
      capabilitiesOf(name, model, workflow, settings),
    ]),
  );
  const baseUrl = settings.base_url.replace(/\/+$/, '');
  const server = createComfyServer({ httpClient, apiKey, baseUrl, ids });
  const prompts = createPromptRun({ server, clock, maxImageBytes: images.max_encoded_bytes });
  const toValues = createWorkflowValues({ server, ids });

  const calls = createRunningCalls();

  function refuse(outline: CallOutline): void {
    const bindings = workflows.get(outline.model);
    if (bindings) refuseUnfilled(outline, bindings);
  }

  async function call(request: ProviderRequest, context: ProviderContext): Promise<ProviderResult> {
    const { signal } = context;
    const bindings = workflows.get(request.model);
    if (!bindings) throw new BridgeError('internal', 'the model has no workflow');
    const workflow = await readWorkflow(bindings);
    signal.throwIfAborted();
    const values = await toValues(request, workflow, bindings, signal);
    const prompt = {
      id: ids.newUuid(),
      workflow: withValues(workflow, values),
      output: bindings.output,
    };
    return { outputs: [{ bytes: await prompts.run(prompt, request, context), anyFormat: true }] };
  }

  return {
    name,
    retry: {
      attempts: settings.max_transient_attempts,
      backoffMs: settings.transient_backoff_ms,
    },

    describe: () => ({
      displayName: 'ComfyUI',
      version: IMPLEMENTATION_VERSION,
      experimental: false,
      models: [...workflows.keys()],
      defaultModel: settings.image_model,
    }),

    capabilities: (model) => documents.get(model),

    // ComfyUI's nodes that load a mask read alpha.
    maskForm: (model) => (workflows.get(model)?.mask === undefined ? undefined : 'alpha'),

    refuse,

    async execute(request, context): Promise<ProviderResult> {
      refuse(request);
      return calls.run(context.signal, (signal) => call(request, { ...context, signal }));
    },

    async probe(): Promise<ProviderReadiness> {
      const readiness = await apiKey.readiness();
      if (!readiness.ready) return readiness;
      const readings = await Promise.allSettled([...workflows.values()].map(readWorkflow));
      const areUsable = readings.every(({ status }) => status === 'fulfilled');
      return areUsable ? { ready: true } : { ready: false, errorCode: 'configuration' };
    },

    close: calls.close,
  };
}
