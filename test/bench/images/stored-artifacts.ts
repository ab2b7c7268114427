import { join } from 'node:path';
import type { Tools } from '../measure/bench.ts';
import type { LoadRequest } from '../measure/load.ts';
import type { ServerProcess } from '../measure/server-process.ts';

export interface StoredArtifacts {
  readonly server: ServerProcess;
  /** Requests, one for each artifact. */
  readonly requests: readonly LoadRequest[];
}

interface Options {
  readonly imageFile: string;
  /** Name of the folder of the bridge. */
  readonly name: string;
  /** Number of artifacts. Connections that request the same artifact would share its checks. */
  readonly count: number;
  /** Suffix of the path after the artifact. */
  readonly suffix?: string;
  readonly cacheBytes?: number;
}

/** Starts a bridge that has stored one image several times. */
export async function startWithArtifacts(
  { start, folder }: Tools,
  { name, count, suffix = '', ...options }: Options,
): Promise<StoredArtifacts> {
  const server = await start('bridge', { folder: join(folder, name), ...options });
  const requests: LoadRequest[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const reply = await fetch(`http://127.0.0.1:${server.port}/v1/images`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'kept', output: { response_format: 'artifact' } }),
    });
    const { data } = (await reply.json()) as { data: { id: string }[] };
    requests.push({ method: 'GET', path: `/v1/artifacts/${data[0]?.id}${suffix}` });
  }
  return { server, requests };
}
