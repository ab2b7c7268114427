import { join } from 'node:path';
import type { Bench, Row } from '../measure/bench.ts';
import { compare, rateRow } from '../measure/compare.ts';
import { inMegabytes, writeImage } from '../measure/image.ts';
import { startNginx } from '../measure/nginx.ts';
import type { ServerProcess } from '../measure/server-process.ts';
import { startWithArtifacts } from './stored-artifacts.ts';

const CONNECTIONS = 4;

/** One stored image: from memory, from the disk with all checks, and as a file streamed by Node. */
export const getArtifact: Bench = {
  name: 'get-artifact',
  async run(tools) {
    const file = join(tools.folder, 'artifact.png');
    const size = inMegabytes(
      (await writeImage(file, { width: 1024, height: 1024, noise: 88 })).length,
    );
    const options = { imageFile: file, count: CONNECTIONS };
    const cached = await startWithArtifacts(tools, { ...options, name: 'cached' });
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
    const nginx = await startNginx(tools.folder, file);
    if (nginx) {
      const row = rateRow(await compare(tools, our, their(nginx)), {
        what: `artifact of ${size}, cached`,
        against: 'nginx sending the file, unchecked',
        budget: 'reported',
      });
      rows.push({ ...row, cpuRatio: '–' });
    }
    await Promise.all([cached.server.stop(), buffer.stop(), stream.stop(), nginx?.stop()]);

    const cold = await startWithArtifacts(tools, { ...options, name: 'cold', cacheBytes: 1 });
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
