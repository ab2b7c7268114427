import { join } from 'node:path';
import type { Bench, Row, Tools } from './bench.ts';
import { compare, rateRow } from './compare.ts';
import type { LoadRequest } from './load.ts';
import { inMegabytes, writePicture } from './picture.ts';
import type { ServerProcess } from './server-process.ts';

const CONNECTIONS = 4;

/** One stored picture: from memory, from the disk with all its checks, and as Node streams a file. */
export const getArtifact: Bench = {
  name: 'get-artifact',
  async run(tools) {
    const file = join(tools.folder, 'artifact.png');
    const size = inMegabytes((await writePicture(file, { edge: 1024, noise: 88 })).length);
    const cached = await startWithArtifacts(tools, file, 'cached', {});
    const buffer = await tools.start('floor', { kind: 'bytes', file });
    const stream = await tools.start('floor', { kind: 'stream', file });
    const rows: Row[] = [];
    const fast = { connections: CONNECTIONS, forMs: 1000 };
    const their = (server: ServerProcess) => ({
      server,
      task: { ...fast, requests: [{ method: 'GET', path: '/' } as const] },
    });
    const our = { server: cached.server, task: { ...fast, requests: cached.requests } };
    rows.push(
      rateRow(await compare(tools, our, their(buffer)), {
        what: `artifact of ${size}, cached`,
        against: 'bare Hono sending a Buffer',
        budget: '≥ 0.7',
      }),
      rateRow(await compare(tools, our, their(stream)), {
        what: `artifact of ${size}, cached`,
        against: 'Node streaming the file, unchecked',
        budget: 'reported',
      }),
    );
    await Promise.all([cached.server.stop(), buffer.stop(), stream.stop()]);

    const cold = await startWithArtifacts(tools, file, 'cold', { cacheBytes: 1 });
    const floor = await tools.start('floor', { kind: 'verified-file', file });
    const slow = { connections: CONNECTIONS, forMs: 1500 };
    const requests = [{ method: 'GET', path: '/' } as const];
    const comparison = await compare(
      tools,
      { server: cold.server, task: { ...slow, requests: cold.requests } },
      { server: floor, task: { ...slow, requests } },
    );
    rows.push(
      rateRow(comparison, {
        what: `artifact of ${size}, cold`,
        against: 'read, decode and hash, send',
        budget: '≥ 0.8',
      }),
    );
    await Promise.all([cold.server.stop(), floor.stop()]);
    return rows;
  },
};

/** A bridge that has an artifact for each connection: on one alone they would share their checks. */
async function startWithArtifacts(
  { start, folder }: Tools,
  pictureFile: string,
  name: string,
  options: object,
): Promise<{ server: ServerProcess; requests: readonly LoadRequest[] }> {
  const server = await start('bridge', { folder: join(folder, name), pictureFile, ...options });
  const requests: LoadRequest[] = [];
  for (let count = 0; count < CONNECTIONS; count += 1) {
    const answer = await fetch(`http://127.0.0.1:${server.port}/v1/images`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'kept', output: { response_format: 'artifact' } }),
    });
    const { data } = (await answer.json()) as { data: { id: string }[] };
    requests.push({ method: 'GET', path: `/v1/artifacts/${data[0]?.id}` });
  }
  return { server, requests };
}
