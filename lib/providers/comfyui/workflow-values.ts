import type { Config } from '../../config/settings/settings.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Ids } from '../../platform/ids.ts';
import { FAILURES } from '../backend/failure-rows.ts';
import { toPromptText } from '../backend/prompt-text.ts';
import type { ProviderInput, ProviderRequest } from '../provider-port.ts';
import { outputEdges } from './output-edges.ts';
import type { ComfyServer } from './server.ts';
import { type BoundValue, siblingBinding, type Workflow } from './workflow.ts';

type Settings = Config['providers']['comfyui'][string]['workflows'][string];

interface Deps {
  readonly server: Pick<ComfyServer, 'upload'>;
  readonly ids: Pick<Ids, 'newFraction'>;
}

const SEEDS = 2 ** 32;

/** The values of a request for the bound inputs of a workflow; its images are stored on the server. */
export function createWorkflowValues({ server, ids }: Deps) {
  async function upload(input: ProviderInput, signal: AbortSignal): Promise<string> {
    try {
      return await server.upload(input, signal);
    } catch (thrown) {
      const isLost = thrown instanceof BridgeError && thrown.code === 'protocol';
      if (!isLost) throw thrown;
      // Nothing runs yet, and the same image may be stored again.
      const { code, message, ...options } = FAILURES.transient;
      throw new BridgeError(code, message, { ...options, cause: thrown });
    }
  }

  async function imageValues(
    { images, references, mask }: ProviderRequest,
    workflow: Workflow,
    settings: Settings,
    signal: AbortSignal,
  ): Promise<readonly BoundValue[]> {
    const values: BoundValue[] = [];
    const inputs = [...images, ...references];
    for (const [index, binding] of (settings.images ?? []).entries()) {
      const input = inputs[index];
      if (input) values.push({ binding, value: await upload(input, signal) });
    }
    if (settings.mask === undefined || !mask) return values;
    // Where the node can read other channels of the mask than its alpha.
    const channel = siblingBinding(workflow, settings.mask, 'channel');
    return [
      ...values,
      { binding: settings.mask, value: await upload(mask, signal) },
      ...(channel === undefined ? [] : [{ binding: channel, value: 'alpha' }]),
    ];
  }

  return async function toValues(
    request: ProviderRequest,
    workflow: Workflow,
    settings: Settings,
    signal: AbortSignal,
  ): Promise<readonly BoundValue[]> {
    const edges = outputEdges(request, settings);
    const { images: _, references: __, maskImage: ___, ...described } = request;
    return [
      // The nodes say which image is which; the text need not.
      ...bound(settings.prompt, toPromptText({ ...described, images: [], references: [] })),
      ...bound(settings.negative_prompt, request.negativePrompt),
      ...bound(settings.seed, Math.floor(ids.newFraction() * SEEDS)),
      ...bound(settings.width, edges?.width),
      ...bound(settings.height, edges?.height),
      ...(await imageValues(request, workflow, settings, signal)),
    ];
  };
}

function bound(
  binding: string | undefined,
  value: string | number | undefined,
): readonly BoundValue[] {
  return binding === undefined || value === undefined ? [] : [{ binding, value }];
}
