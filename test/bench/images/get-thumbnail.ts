import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../measure/bench.ts';
import { compare, rateRow, timeRow } from '../measure/compare.ts';
import { inMegabytes, writeImage } from '../measure/image.ts';
import { startWithArtifacts } from './stored-artifacts.ts';

const EDGE_PX = 320;
const CONNECTIONS = 4;

/** The thumbnail of one stored image: from memory, and generated each time with all checks. */
export const getThumbnail: Bench = {
  name: 'get-thumbnail',
  async run(tools) {
    const file = join(tools.folder, 'image.png');
    const image = await writeImage(file, { width: 1536, height: 1024, noise: 40 });
    const what = `thumbnail ${EDGE_PX} of 1536 × 1024, ${inMegabytes(image.length)}`;
    const options = { imageFile: file, count: CONNECTIONS, suffix: `/thumbnail?edge=${EDGE_PX}` };
    const requests = [{ method: 'GET', path: '/' } as const];

    const cold = await startWithArtifacts(tools, { ...options, name: 'cold', cacheBytes: 1 });
    const alone = await tools.start('floor', { kind: 'thumbnail', file, edgePx: EDGE_PX });
    const made = (connections: number) => {
      const slow = { connections, forMs: 1200 };
      return compare(
        tools,
        { server: cold.server, task: { ...slow, requests: cold.requests } },
        { server: alone, task: { ...slow, requests } },
      );
    };
    const byOne = await made(1);
    const bySome = await made(CONNECTIONS);
    await Promise.all([cold.server.stop(), alone.stop()]);

    const cached = await startWithArtifacts(tools, { ...options, name: 'cached' });
    const small = join(tools.folder, 'thumbnail.png');
    const url = `http://127.0.0.1:${cached.server.port}${cached.requests[0]?.path}`;
    await writeFile(small, Buffer.from(await (await fetch(url)).arrayBuffer()));
    const buffer = await tools.start('floor', { kind: 'bytes', file: small });
    const fast = { connections: CONNECTIONS, forMs: 1000 };
    const kept = await compare(
      tools,
      { server: cached.server, task: { ...fast, requests: cached.requests } },
      { server: buffer, task: { ...fast, requests } },
    );
    await Promise.all([cached.server.stop(), buffer.stop()]);

    const against = 'read, sharp alone, send';
    return [
      timeRow(byOne, { what: `${what}, cold, 1 client`, against, budget: '≤ 1.15' }),
      rateRow(bySome, { what: `${what}, cold, ${CONNECTIONS} clients`, against, budget: '≥ 0.85' }),
      rateRow(kept, { what: `${what}, cached`, against: 'bare Hono sending it', budget: '≥ 0.6' }),
    ];
  },
};
