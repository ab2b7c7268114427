import type { ImagesSettings } from '../../../../lib/providers/openai-images/dialects/dialect.ts';
import {
  createImagesUpstream,
  type ImagesUpstream,
  type ImagesUpstreamOptions,
} from '../../../support/images-upstream/images-upstream.ts';
import { type ImagesRig, openImagesRig } from './images-rig.ts';

export interface EmulatedRig extends ImagesRig {
  readonly upstream: ImagesUpstream;
}

/** The provider and a strict emulator of the server that it calls. */
export async function openEmulated(
  options: ImagesUpstreamOptions,
  settings: Partial<ImagesSettings> = {},
): Promise<EmulatedRig> {
  const upstream = await createImagesUpstream({ imageBytes: 40_000, ...options });
  const { dialect, models } = upstream;
  const [image_model = ''] = models;
  const key = upstream.key();
  const rig = openImagesRig({
    keys: key === undefined ? [] : [key],
    settings: {
      dialect,
      base_url: upstream.baseUrl,
      models: [...models],
      image_model,
      ...settings,
    },
  });
  return {
    ...rig,
    upstream,
    async close() {
      await rig.close();
      await upstream.close();
    },
  };
}
