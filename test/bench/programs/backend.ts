import { createResponsesUpstream } from '../../support/responses-upstream/responses-upstream.ts';
import { programOptions } from './measured-server.ts';

/** The emulator of the backend in a process of its own, so that its cost is not counted as that of the bridge. */
export interface BackendOptions {
  /** Folder for the login. */
  readonly home: string;
  readonly imageBytes: number;
}

export interface Backend {
  readonly url: string;
  readonly tokenUrl: string;
}

const { home, imageBytes } = programOptions<BackendOptions>();
const upstream = await createResponsesUpstream({
  imageBytes,
  // One image, generated once.
  imageVariants: 1,
  keepsBodies: false,
});
await upstream.writeLogin(home);
process.on('disconnect', () => process.exit());
const backend: Backend = { url: upstream.url, tokenUrl: upstream.tokenUrl };
process.send?.(backend);
