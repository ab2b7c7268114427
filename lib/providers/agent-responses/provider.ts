import type { Config } from '../../config/settings/settings.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Ids } from '../../platform/ids.ts';
import type { CredentialSource } from '../credentials/credential-source.ts';
import type {
  Provider,
  ProviderContext,
  ProviderReadiness,
  ProviderRequest,
  ProviderResult,
} from '../provider-port.ts';
import { createRunningCalls } from '../running-calls.ts';
import type { BackendClient } from './backend-client.ts';
import {
  capabilitiesOf,
  IMPLEMENTATION_VERSION,
  MAX_BYTES_TOTAL,
  MAX_IMAGES,
  PROVIDER_NAME,
} from './capabilities.ts';
import { createRequestBody } from './request-body.ts';

interface Deps {
  readonly settings: Config['providers']['agent_responses'];
  readonly credentials: Pick<CredentialSource, 'probe'>;
  readonly client: BackendClient;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
}

/** The remote Responses backend, called with the login that is mounted for the agent (providers.md). */
export function createAgentResponsesProvider(deps: Deps): Provider {
  const { settings, credentials, client, ids } = deps;
  const { models, image_model: defaultModel, max_outputs: maxOutputs } = settings;
  const parallel = settings.max_parallel_outputs;
  const limits = {
    defaultModel,
    maxOutputs,
    maxParallelOutputs: parallel === 'auto' ? maxOutputs : parallel,
  };
  const toRequestBody = createRequestBody({ responsesModel: settings.responses_model, ids });
  const documents = new Map(models.map((model) => [model, capabilitiesOf(model, limits)]));

  const calls = createRunningCalls();
  let isClosed = false;

  return {
    name: PROVIDER_NAME,
    retry: {
      attempts: settings.max_transient_attempts,
      backoffMs: settings.transient_backoff_ms,
    },

    describe: () => ({
      displayName: 'Agent Responses',
      version: IMPLEMENTATION_VERSION,
      experimental: false,
      models,
      defaultModel,
    }),

    capabilities: (model) => documents.get(model),

    async execute(request: ProviderRequest, context: ProviderContext): Promise<ProviderResult> {
      refuseTooMany(request);
      if (isClosed) throw new BridgeError('overloaded', 'the provider is closed');
      return calls.run(context.signal, (signal) =>
        client.call(toRequestBody(request), request, { ...context, signal }),
      );
    },

    async probe(): Promise<ProviderReadiness> {
      const isReady = await credentials.probe();
      return isReady ? { ready: true } : { ready: false, errorCode: 'authentication' };
    },

    async close() {
      isClosed = true;
      await calls.abortAll(new BridgeError('cancelled', 'the provider is closing'));
    },
  };
}

/** The backend counts sources and references together, which a capability document cannot say. */
function refuseTooMany({ images, references }: ProviderRequest): void {
  const inputs = [...images, ...references];
  const bytes = inputs.reduce((sum, input) => sum + input.bytes.length, 0);
  if (inputs.length <= MAX_IMAGES && bytes <= MAX_BYTES_TOTAL) return;
  throw new BridgeError('unsupported_capability', 'the backend takes fewer or smaller images', {
    param: 'images',
    details: { field: 'images', max_count: MAX_IMAGES, max_bytes_total: MAX_BYTES_TOTAL },
  });
}
