import { createImagesUpstream } from '../../support/images-upstream/images-upstream.ts';
import { programOptions, reportPort } from './measured-server.ts';

/** The emulator of the OpenAI images API in a process of its own, so that its cost is not counted as that of the bridge. */
export interface ImagesServerOptions {
  readonly key: string;
  readonly imageBytes: number;
}

const upstream = await createImagesUpstream({
  ...programOptions<ImagesServerOptions>(),
  // One image, drawn once.
  imageVariants: 1,
  keepsBodies: false,
});
reportPort(upstream.port);
