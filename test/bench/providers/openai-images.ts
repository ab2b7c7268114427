import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, Row } from '../measure/bench.ts';
import { compare, timeRow } from '../measure/compare.ts';
import { inMegabytes } from '../measure/image.ts';
import type { FloorOptions } from '../programs/floor.ts';
import type { ImagesServerOptions } from '../programs/images-server.ts';

const KEY = 'sk-made-up-of-the-bench';
const IMAGE_BYTES = 2_900_000;
const BODY = { model: 'gpt-image-2', prompt: 'a lighthouse at dusk', size: '1024x1024' };
const LOADS = [
  { connections: 1, forMs: 2000, budget: '≤ 1.3' },
  { connections: 16, forMs: 3000, budget: '≤ 1.5' },
];

/**
 * An image of a server with the OpenAI API that replies at once, through the program as a user starts it, against a plain Node
 * server that forwards the request and takes only the necessary steps with the reply.
 */
export const openaiImages: Bench = {
  name: 'openai-images',
  async run(tools) {
    const { folder } = tools;
    const wanted: ImagesServerOptions = { key: KEY, imageBytes: IMAGE_BYTES };
    const { port } = await tools.start('images-server', wanted);
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    const keyFile = join(folder, 'key');
    await writeFile(keyFile, KEY, { mode: 0o600 });
    const bodyFile = join(folder, 'request.json');
    await writeFile(bodyFile, JSON.stringify(BODY));
    const bridge = await tools.startProgram({
      command: 'serve',
      folder,
      settings: [
        'default_provider=own',
        'providers.agent_responses.enabled=false',
        `providers.openai_images.own.base_url=${baseUrl}`,
        `providers.openai_images.own.api_key_file=${keyFile}`,
      ],
    });
    const steps: FloorOptions = {
      kind: 'fetched-image',
      url: `${baseUrl}/images/generations`,
      headers: { authorization: `Bearer ${KEY}` },
      member: 'b64_json',
    };
    const floor = await tools.start('floor', steps);
    const rows: Row[] = [];
    for (const { connections, forMs, budget } of LOADS) {
      const requests = [{ method: 'POST', path: '/v1/images/generations', bodyFile } as const];
      const task = { requests, connections, forMs };
      const comparison = await compare(tools, { server: bridge, task }, { server: floor, task });
      const clients = connections === 1 ? '1 client' : `${connections} clients`;
      rows.push(
        timeRow(comparison, {
          what: `\`POST /v1/images/generations\` through openai-images, ${inMegabytes(IMAGE_BYTES)}, ${clients}`,
          against: 'send on, read, base64; decode and hash, base64, write',
          budget,
        }),
      );
    }
    return rows;
  },
};
