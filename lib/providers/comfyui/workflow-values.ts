import { type Parameters, parseAspectRatio, parseSize } from '../../contract/request/parameters.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import { type Edges, uprightEdges } from '../../images/image.ts';
import type { Ids } from '../../platform/ids.ts';
import { fittedEdges } from '../backend/edges.ts';
import { FAILURES } from '../backend/failures.ts';
import { toPromptText } from '../backend/sent-images.ts';
import { unsupported } from '../failed-calls.ts';
import type { CallFacts, CallOutline, ProviderInput, ProviderRequest } from '../provider-port.ts';
import type { ComfyServer } from './server.ts';
import {
  type BoundValue,
  siblingBinding,
  type Workflow,
  type WorkflowSettings,
} from './workflow.ts';

interface Deps {
  readonly server: Pick<ComfyServer, 'upload'>;
  readonly ids: Pick<Ids, 'newFraction'>;
}

const SEEDS = 2 ** 32;

/**
 * Creates a function that returns the values of a request for the bound inputs of a workflow. The function uploads the
 * images to the server.
 */
export function createWorkflowValues({ server, ids }: Deps) {
  async function upload(input: ProviderInput, signal: AbortSignal): Promise<string> {
    try {
      return await server.upload(input, signal);
    } catch (thrown) {
      const isLost = thrown instanceof BridgeError && thrown.code === 'protocol';
      if (!isLost) throw thrown;
      // The upload may be repeated because the workflow has not been submitted yet.
      const { code, message, ...options } = FAILURES.transient;
      throw new BridgeError(code, message, { ...options, cause: thrown });
    }
  }

  async function imageValues(
    { images, references, mask }: ProviderRequest,
    workflow: Workflow,
    settings: WorkflowSettings,
    signal: AbortSignal,
  ): Promise<readonly BoundValue[]> {
    const values: BoundValue[] = [];
    const inputs = [...images, ...references];
    for (const [index, binding] of (settings.images ?? []).entries()) {
      const input = inputs[index];
      if (input) values.push({ binding, value: await upload(input, signal) });
    }
    if (settings.mask === undefined || !mask) return values;
    // Some nodes have an input that selects the channel of the mask. Only the alpha channel contains the mask.
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
    settings: WorkflowSettings,
    signal: AbortSignal,
  ): Promise<readonly BoundValue[]> {
    const edges = outputEdges(request, settings);
    const { images: _, references: __, maskImage: ___, ...described } = request;
    return [
      // The text does not explain the images because the nodes define the role of each image.
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

const RESOLUTION_EDGE: Readonly<Record<NonNullable<Parameters['resolution']>, number>> = {
  '1k': 1024,
  '2k': 2048,
  '4k': 4096,
};

/**
 * Returns the dimensions to request: the named size, or dimensions with the given aspect ratio and resolution. The
 * default ratio is the ratio of the first source, or 1:1 without a source. The default resolution is `1k`. Returns
 * undefined if the workflow decides the size.
 */
function outputEdges(
  { parameters, images }: Pick<CallFacts, 'parameters' | 'images'>,
  bounds: { readonly edge_multiple: number; readonly max_edge: number },
): Edges | undefined {
  const { size, aspect_ratio: ratio, resolution } = parameters;
  const named = parseSize(size);
  if (named) return named;
  if (ratio === null && resolution === null) return undefined;
  const [source] = images;
  const ofSource = source ? uprightEdges(source) : SQUARE;
  const shape = ratio === null ? ofSource : (parseAspectRatio(ratio) ?? SQUARE);
  const edge = RESOLUTION_EDGE[resolution ?? '1k'];
  const stretch = Math.sqrt(shape.width / shape.height);
  return fittedEdges({ width: edge * stretch, height: edge / stretch }, bounds);
}

const SQUARE: Edges = { width: 1, height: 1 };

/**
 * Throws `unsupported_capability` if a bound input would get no value. The input would then keep the image that the
 * exported workflow contains.
 */
export function refuseUnfilled(
  { images, references, mask }: CallOutline,
  { images: bindings = [], mask: maskBinding }: WorkflowSettings,
): void {
  const count = bindings.length;
  if (images.length + references.length !== count) {
    const message = `the workflow requires exactly ${count} input images`;
    throw unsupported('images', message, { min_count: count, max_count: count });
  }
  if (maskBinding !== undefined && !mask) {
    throw unsupported('mask', 'the workflow requires a mask');
  }
}
