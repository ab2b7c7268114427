import { createRemoteFetch } from '../../net/remote-fetch.ts';
import { refuseTooManyInputs } from '../backend/input-limits.ts';
import { createJsonBodies } from '../http/json-body.ts';
import type { NamedProviderParts } from '../provider-parts.ts';
import type { CallOutline, Provider, ProviderRequest, ProviderResult } from '../provider-port.ts';
import { createRunningCalls } from '../running-calls.ts';
import { createCallBodies } from './call-body.ts';
import { capabilitiesOf, IMPLEMENTATION_VERSION, INPUT_LIMITS } from './capabilities.ts';
import { createImagesClient } from './client.ts';
import { DIALECTS } from './dialects.ts';
import { createEndpoint } from './endpoint.ts';
import { toPngInputs } from './png-inputs.ts';
import { refuseText } from './prompt.ts';
import { createResultFetch } from './result-fetch.ts';
import { withSourceSize } from './source-size.ts';

type Parts = NamedProviderParts<'openai_images'>;

/** What a fetch from one of `result_hosts` may do; the same as for the images of requests. */
const FETCH_LIMITS = {
  allowed_ports: [443],
  allow_private_networks: false,
  max_redirects: 3,
  timeout_ms: 20_000,
};

/** An account of OpenAI's image API, or a server that speaks it (more-providers.md 2 and 3). */
export function createOpenaiImagesProvider(parts: Parts): Provider {
  const { name, settings, engine, apiKey } = parts;
  const { models, image_model: defaultModel } = settings;
  const dialect = DIALECTS[settings.dialect];
  const { client, toCallBody } = wired(parts);
  const documents = new Map(
    models.map((model) => [model, capabilitiesOf(model, { provider: name, settings })]),
  );

  const calls = createRunningCalls();

  function refuse(call: CallOutline): void {
    refuseTooManyInputs(call, INPUT_LIMITS);
    refuseText(call, dialect);
  }

  function sizedRequest(request: ProviderRequest): ProviderRequest {
    const sizes = documents.get(request.model)?.sizes;
    return dialect.needsSizeOfSource && sizes ? withSourceSize(request, sizes) : request;
  }

  return {
    name,
    retry: {
      attempts: settings.max_transient_attempts,
      backoffMs: settings.transient_backoff_ms,
    },

    describe: () => ({
      displayName: dialect.displayName,
      version: IMPLEMENTATION_VERSION,
      experimental: false,
      models,
      defaultModel,
    }),

    capabilities: (model) => documents.get(model),

    maskForm: () => dialect.mask?.form,

    refuse,

    async execute(request: ProviderRequest, context): Promise<ProviderResult> {
      refuse(request);
      return calls.run(context.signal, async (signal) => {
        const sized = sizedRequest(request);
        const readable = await toPngInputs(sized, dialect, engine, signal);
        return client.call(toCallBody(readable), readable, { ...context, signal });
      });
    },

    probe: () => apiKey.readiness(),

    close: calls.close,
  };
}

function wired({ settings, images, httpClient, apiKey, slices, clock, ids }: Parts) {
  const dialect = DIALECTS[settings.dialect];
  const maxImageBytes = images.max_encoded_bytes;
  const endpoint = createEndpoint(settings, dialect);
  const toJsonBody = createJsonBodies({ ids, slices });
  const policy = { ...FETCH_LIMITS, allowed_hosts: settings.result_hosts };
  const fetchResult = createResultFetch({
    httpClient,
    fetchRemote: createRemoteFetch({ policy, clock }),
    maxBytes: maxImageBytes,
  });
  const { modelName } = endpoint;
  return {
    toCallBody: createCallBodies({ dialect, settings, ids, toJsonBody, modelName }),
    client: createImagesClient({
      httpClient,
      apiKey,
      dialect,
      endpoint,
      fetchResult,
      slices,
      clock,
      maxImageBytes,
    }),
  };
}
