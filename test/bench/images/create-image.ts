import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, Row } from '../measure/bench.ts';
import { compare, timeRow } from '../measure/compare.ts';
import { inMegabytes, writeImage } from '../measure/image.ts';

const LOADS = [
  { connections: 1, forMs: 1500, budget: '≤ 1.3' },
  { connections: 16, forMs: 2000, budget: '≤ 1.5' },
];

/**
 * One image of a provider that replies at once, as base64, against a plain Node server with only the necessary steps: JSON.parse
 * of the request, full decode and SHA-256 side by side, base64, write.
 */
export const createImage: Bench = {
  name: 'create-image',
  async run(tools) {
    const imageFile = join(tools.folder, 'image.png');
    const image = await writeImage(imageFile, { width: 1024, height: 1024, noise: 56 });
    const bodyFile = join(tools.folder, 'request.json');
    await writeFile(bodyFile, JSON.stringify({ prompt: 'a lighthouse at dusk' }));
    const bridge = await tools.start('bridge', { folder: tools.folder, imageFile });
    const floor = await tools.start('floor', { kind: 'image', file: imageFile });
    const rows: Row[] = [];
    for (const { connections, forMs, budget } of LOADS) {
      const requests = [{ method: 'POST', path: '/v1/images', bodyFile } as const];
      const task = { requests, connections, forMs };
      const comparison = await compare(tools, { server: bridge, task }, { server: floor, task });
      const clients = connections === 1 ? '1 client' : `${connections} clients`;
      rows.push(
        timeRow(comparison, {
          what: `\`POST /v1/images\`, ${inMegabytes(image.length)} at once, ${clients}`,
          against: 'parse, decode and hash, base64, write',
          budget,
        }),
      );
    }
    const [{ residentMb: ours }, { residentMb: theirs }] = [await bridge.end(), await floor.end()];
    rows.push({
      what: 'resident after these images',
      ours: `${ours.toFixed(0)} MB`,
      against: 'the same server of irreducible steps',
      theirs: `${theirs.toFixed(0)} MB`,
      ratio: (ours / theirs).toFixed(2),
      budget: 'reported',
    });
    await Promise.all([bridge.stop(), floor.stop()]);
    return rows;
  },
};
