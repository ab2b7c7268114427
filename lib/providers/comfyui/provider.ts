import { BridgeError } from '../../errors/bridge-error.ts';
import { createBackendProvider } from '../backend/backend-provider.ts';
import type { NamedProviderParts } from '../provider-parts.ts';
import type {
  Provider,
  ProviderContext,
  ProviderRequest,
  ProviderResult,
} from '../provider-port.ts';
import { capabilitiesOf } from './capabilities.ts';
import { createPromptRun } from './prompt-run.ts';
import { createComfyServer } from './server.ts';
import { readWorkflow, withValues } from './workflow.ts';
import { createWorkflowValues, refuseUnfilled } from './workflow-values.ts';

/** Creates the provider for a ComfyUI server. Each of its workflows is a model. */
export function createComfyuiProvider(parts: NamedProviderParts<'comfyui'>): Provider {
  const { name, settings, images, httpClient, apiKey, clock, ids } = parts;
  const workflows = new Map(Object.entries(settings.workflows));
  const baseUrl = settings.base_url.replace(/\/+$/, '');
  const server = createComfyServer({ httpClient, apiKey, baseUrl, ids });
  const prompts = createPromptRun({ server, clock, maxImageBytes: images.max_encoded_bytes });
  const toValues = createWorkflowValues({ server, ids });

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

  return createBackendProvider({
    name,
    displayName: 'ComfyUI',
    settings,
    documents: [...workflows].map(([model, workflow]) =>
      capabilitiesOf(name, model, workflow, settings),
    ),
    // The nodes of ComfyUI that load a mask read its alpha channel.
    maskForm: (model) => (workflows.get(model)?.mask === undefined ? undefined : 'alpha'),
    refuse(outline) {
      const bindings = workflows.get(outline.model);
      if (bindings) refuseUnfilled(outline, bindings);
    },
    call,
    async probe() {
      const readiness = await apiKey.readiness();
      if (!readiness.ready) return readiness;
      const readings = await Promise.allSettled([...workflows.values()].map(readWorkflow));
      const areUsable = readings.every(({ status }) => status === 'fulfilled');
      return areUsable ? { ready: true } : { ready: false, errorCode: 'configuration' };
    },
  });
}
