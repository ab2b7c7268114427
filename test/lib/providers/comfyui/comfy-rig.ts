import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import {
  type ComfyOptions,
  createComfyUpstream,
} from '../../../support/comfyui-upstream/comfyui-upstream.ts';
import { writeWorkflows } from '../../../support/comfyui-upstream/workflows.ts';
import { makeFolder, namedSettings, openProgramProvider } from '../program-rig.ts';

export type ComfyRig = Awaited<ReturnType<typeof openComfyRig>>;

interface Options extends ComfyOptions {
  /** Settings of the provider, as TOML. */
  readonly set?: Readonly<Record<string, string>>;
}

/** The provider `comfy` as the program builds it, with the emulator as its server. */
export async function openComfyRig({ set = {}, ...options }: Options = {}) {
  const folder = await makeFolder('comfyui');
  const upstream = await createComfyUpstream({ imageBytes: 30_000, ...options });
  const keyFile = join(folder, 'key');
  if (options.token !== undefined) await writeFile(keyFile, options.token, { mode: 0o600 });
  const settings = namedSettings('comfyui', 'comfy', {
    ...(options.token === undefined ? {} : { api_key_file: keyFile }),
    base_url: upstream.url,
    workflows: await writeWorkflows(folder),
    image_model: 'draw',
    ...set,
  });
  const { provider, run, close } = await openProgramProvider(folder, settings);

  return {
    upstream,
    provider,
    folder,
    keyFile,
    run,

    async close(): Promise<void> {
      await close();
      await upstream.close();
    },
  };
}

/** Creates a new rig for each test of the file. */
export function useComfyRig(options: Options = {}): () => ComfyRig {
  let rig: ComfyRig;
  beforeEach(async () => {
    rig = await openComfyRig(options);
  });
  afterEach(() => rig.close());
  return () => rig;
}
