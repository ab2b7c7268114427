import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { CapabilityDocument } from '../../../lib/contract/resources/provider.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { ProviderRequest } from '../../../lib/providers/provider-port.ts';
import {
  anything,
  appServer,
  gptImage1,
  gptImage2,
  gptImage15,
  maskEmulated,
} from '../../lib/generation/capability-documents.ts';
import { image, keyed } from '../../lib/generation/images.ts';
import { openApp } from '../../support/open-app.ts';
import { createScriptedProvider, type ScriptedCall } from '../../support/scripted-provider.ts';
import { LIMITS } from './plan-requests.ts';

const few = { support: 'native', max_count: 2, max_bytes_each: 200, max_bytes_total: 300 } as const;

const DOCUMENTS: Readonly<Record<string, CapabilityDocument>> = {
  sandbox: anything,
  responses: gptImage2,
  alpha: gptImage15,
  small: gptImage1,
  agent: appServer,
  narrow: {
    ...gptImage2,
    count: { min: 1, max: 2 },
    batching: { mode: 'native', native_count: { min: 1, max: 2 }, max_parallel_outputs: 1 },
    sizes: { auto: false, allowed: ['640x480', '480x640'], arbitrary: false },
    output_formats: ['jpeg'],
    negative_prompt: 'unsupported',
    transparent_background: 'unsupported',
    edit_images: few,
    reference_images: { ...few, support: 'unsupported' },
    masks: { ...few, max_count: 1 },
  },
  masked: {
    ...maskEmulated,
    sizes: {
      auto: true,
      allowed: [],
      arbitrary: true,
      edge_multiple: 8,
      min_edge: 40,
      max_edge: 64,
    },
    transparent_background: 'native',
  },
};

/** Every provider of the world. `logged-out` is not ready. */
export const PROVIDERS = [...Object.keys(DOCUMENTS), 'logged-out'];

/** The whole application with one provider of each kind. Each of them replies with the requested images. */
export async function openWorld() {
  const folder = await mkdtemp(join(tmpdir(), 'plans-'));
  const providers = Object.entries(DOCUMENTS).map(([name, capabilities]) =>
    createScriptedProvider({
      name,
      models: [`${name}-1`],
      capabilities,
      threads: new Set(),
      ...(name === 'small' ? { refuse: refuseFoxes } : {}),
      reply,
    }),
  );
  const loggedOut = createScriptedProvider({
    name: 'logged-out',
    models: ['logged-out-1'],
    capabilities: anything,
    probe: async () => ({ ready: false, errorCode: 'authentication' }),
    reply: (call) => call.fail(new BridgeError('provider_authentication', 'there is no login')),
  });
  const all = [...providers, loggedOut];
  // A mark would make an image larger than the limits of `narrow`.
  const set = [...LIMITS, 'provenance.mark=never'];
  const app = await openApp({ folder, providers: all, defaultProvider: 'sandbox', set });
  return {
    services: app.services,
    /** Returns all calls of a provider so far. */
    callsOf: (name: string): readonly ScriptedCall[] =>
      all.find((provider) => provider.name === name)?.calls ?? [],
    async close(): Promise<void> {
      await app.close();
      await rm(folder, { recursive: true });
    },
  };
}

function refuseFoxes({ prompt }: Pick<ProviderRequest, 'prompt'>): void {
  if (!prompt.includes('fox')) return;
  const details = { field: 'prompt' };
  throw new BridgeError('unsupported_capability', 'no foxes', { param: 'prompt', details });
}

const made = new Map<string, Promise<Buffer>>();

async function reply(call: ScriptedCall): Promise<void> {
  call.dispatch();
  const { keyColor, parameters, indices, maskImage } = call.request;
  const size = maskImage ? parameters.size : undefined;
  const wanted = `${keyColor} ${parameters.background} ${parameters.output_format} ${size}`;
  const bytes = made.get(wanted) ?? draw(call.request);
  made.set(wanted, bytes);
  const output = { bytes: await bytes };
  call.succeed({ outputs: indices.map(() => output) });
}

async function draw({ keyColor, parameters, maskImage }: ProviderRequest): Promise<Buffer> {
  const { background, output_format: format } = parameters;
  if (maskImage) {
    const { width, height } = maskImage;
    return image({ format, width, height, alpha: 0.5 });
  }
  if (keyColor !== undefined)
    return sharp(await keyed(keyColor))
      .toFormat(format)
      .toBuffer();
  return image({ format, ...(background === 'transparent' ? { alpha: 0.5 } : {}) });
}
