import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import {
  createGeminiUpstream,
  type GeminiOptions,
} from '../../../support/gemini-upstream/gemini-upstream.ts';
import { makeFolder, namedSettings, openProgramProvider } from '../program-rig.ts';

export type GeminiRig = Awaited<ReturnType<typeof openGeminiRig>>;

interface Options extends GeminiOptions {
  /** Settings of the provider, as TOML. */
  readonly set?: Readonly<Record<string, string>>;
}

/** The provider `gem` as the program builds it, with the emulator as its backend and a key in a file. */
export async function openGeminiRig({ set = {}, ...options }: Options = {}) {
  const folder = await makeFolder('gemini');
  const upstream = await createGeminiUpstream({ imageBytes: 40_000, ...options });
  const keyFile = join(folder, 'key');
  await writeFile(keyFile, `${upstream.key}\n`, { mode: 0o600 });
  const settings = { base_url: upstream.url, api_key_file: keyFile, ...set };
  const { provider, run, close } = await openProgramProvider(
    folder,
    namedSettings('gemini', 'gem', settings),
  );

  return {
    upstream,
    provider,
    keyFile,
    run,

    async close(): Promise<void> {
      await close();
      await upstream.close();
    },
  };
}

/** Creates a new rig for each test of the file. */
export function useGeminiRig(options: Options = {}): () => GeminiRig {
  let rig: GeminiRig;
  beforeEach(async () => {
    rig = await openGeminiRig(options);
  });
  afterEach(() => rig.close());
  return () => rig;
}
