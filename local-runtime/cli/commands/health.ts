import { isLive, isReady } from '../../client/liveness.ts';
import type { Call } from '../command-table/command.ts';
import type { ConfigurationOptions, ServiceOption } from '../command-table/options.ts';
import { findService } from '../with-service.ts';

type HealthOptions = ConfigurationOptions & ServiceOption & { readonly live: boolean };

export async function runHealth({ options, io }: Call<unknown, HealthOptions>): Promise<number> {
  const found = await findService(options.url, io, options);
  if (!found.ok) {
    for (const problem of found.problems) io.stderr(`image-bridge: ${problem}\n`);
    return 2;
  }
  const { url } = found.address;
  const { signal } = new AbortController();
  if (!(await isLive(url, signal))) {
    io.stderr(`image-bridge: no service can be reached at ${url}\n`);
    return 4;
  }
  if (options.live || (await isReady(url, signal))) {
    io.stdout(options.live ? 'live\n' : 'ready\n');
    return 0;
  }
  io.stderr('image-bridge: the service is running but not ready: see image-bridge doctor\n');
  return 1;
}
