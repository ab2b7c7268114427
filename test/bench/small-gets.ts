import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { compare, rateRow } from './compare.ts';
import { writeImage } from './image.ts';

const PATHS = ['/health/live', '/v1/providers'];

/** Small answers through everything, against the same JSON from bare Hono. */
export const smallGets: Bench = {
  name: 'small-gets',
  async run(tools) {
    const imageFile = join(tools.folder, 'small.png');
    await writeImage(imageFile, { width: 16, height: 16, noise: 16 });
    const bridge = await tools.start('bridge', { folder: tools.folder, imageFile });
    const rows = [];
    for (const path of PATHS) {
      const answer = await fetch(`http://127.0.0.1:${bridge.port}${path}`);
      const floor = await tools.start('floor', { kind: 'json', text: await answer.text() });
      const task = { requests: [{ method: 'GET', path } as const], connections: 32, forMs: 1000 };
      const comparison = await compare(tools, { server: bridge, task }, { server: floor, task });
      rows.push(
        rateRow(comparison, {
          what: `\`GET ${path}\``,
          against: 'the same JSON from bare Hono',
          budget: '≥ 0.50',
        }),
      );
      await floor.stop();
    }
    await bridge.stop();
    return rows;
  },
};
