import { createImagesUpstream } from '../../support/images-upstream/images-upstream.ts';
import { programOptions, reportPort } from './measured-server.ts';

/** The emulator of OpenAI's images API in a process of its own: its cost is not the bridge's. */
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
